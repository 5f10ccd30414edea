import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CheckoutService } from './checkout.service.js';
import { Order } from './order.entity.js';
import { PlaceOrderDto } from './place-order.dto.js';
import { Product } from './product.entity.js';

@Controller()
export class OrdersController {
  constructor(
    private readonly checkout: CheckoutService,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectRepository(Product) private readonly stock: Repository<Product>,
  ) {}

  @Get('products')
  products(): Promise<readonly Product[]> {
    return this.stock.find({ order: { code: 'ASC' } });
  }

  @Post('orders')
  place(@Body() request: PlaceOrderDto): Promise<Order> {
    return this.checkout.place(request);
  }

  @Get('orders/:reference')
  async find(@Param('reference') reference: string): Promise<Order> {
    const order = await this.orders.findOneBy({ reference });
    if (!order) throw new NotFoundException(`There is no order ${reference}.`);
    return order;
  }
}
