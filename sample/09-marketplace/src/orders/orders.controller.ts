import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { type Order, OrdersService } from './orders.service.js';
import { PlaceOrderDto } from './place-order.dto.js';

@Controller('shops/:merchant/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  place(@Param('merchant') merchant: string, @Body() request: PlaceOrderDto): Promise<Order> {
    return this.orders.place(merchant, request);
  }

  @Get(':reference')
  find(@Param('merchant') merchant: string, @Param('reference') reference: string): Promise<Order> {
    return this.orders.find(merchant, reference);
  }
}
