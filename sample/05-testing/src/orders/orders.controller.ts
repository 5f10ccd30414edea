import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { CheckoutService } from './checkout.service.js';
import { type Order } from './order.js';
import { OrdersService } from './orders.service.js';
import { PlaceOrderDto } from './place-order.dto.js';

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly checkout: CheckoutService,
    private readonly orders: OrdersService,
  ) {}

  @Post()
  place(@Body() request: PlaceOrderDto): Promise<Order> {
    return this.checkout.place(request);
  }

  @Get(':reference')
  find(@Param('reference') reference: string): Order {
    return this.orders.find(reference);
  }
}
