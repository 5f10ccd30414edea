import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { type Order } from '../orders/order.js';
import { OrdersStore } from '../orders/orders.store.js';
import { CheckoutService } from './checkout.service.js';
import { PlaceOrderDto } from './place-order.dto.js';

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly checkout: CheckoutService,
    private readonly orders: OrdersStore,
  ) {}

  @Post()
  place(@Body() request: PlaceOrderDto): Promise<Order> {
    return this.checkout.place(request);
  }

  @Get(':reference')
  find(@Param('reference') reference: string): Promise<Order> {
    return this.orders.find(reference);
  }
}
