import { Controller, Get } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { formatTzs } from 'nestjs-payments';
import { PRODUCTS } from './orders/products.js';

@Controller('shop')
export class ShopController {
  constructor(private readonly config: ConfigService) {}

  @Get()
  window() {
    const products = PRODUCTS.map((product) => ({ ...product, priceText: formatTzs(product.price) }));
    return { products, phonePage: this.config.get<string>('SANDBOX_PAGE') ?? null };
  }
}
