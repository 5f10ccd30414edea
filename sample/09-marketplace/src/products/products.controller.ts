import { Body, Controller, Get, HttpCode, NotFoundException, Param, Put, UseGuards } from '@nestjs/common';
import { AdminGuard } from '../merchants/admin.guard.js';
import { ProductDto } from './product.dto.js';
import { type Product, ProductsTable } from './products.table.js';

@Controller()
export class ProductsController {
  constructor(private readonly products: ProductsTable) {}

  @Get('shops/:merchant/products')
  of(@Param('merchant') merchant: string): Promise<readonly Product[]> {
    return this.products.of(merchant);
  }

  @Put('merchants/:merchant/products/:id')
  @HttpCode(204)
  @UseGuards(AdminGuard)
  async put(
    @Param('merchant') merchant: string,
    @Param('id') id: string,
    @Body() { price }: ProductDto,
  ): Promise<void> {
    if (!(await this.products.put(merchant, { id, price })))
      throw new NotFoundException(`There is no merchant ${merchant}.`);
  }
}
