import { Controller, Get } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { PRODUCTS } from './orders/products.js';

@Controller('shop')
export class ShopController {
  constructor(private readonly config: ConfigService) {}

  @Get()
  window() {
    return { products: PRODUCTS, phonePage: this.config.get<string>('SANDBOX_PAGE') ?? null };
  }
}
