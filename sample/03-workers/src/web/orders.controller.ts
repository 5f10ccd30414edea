import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { orderView, type OrderView } from '../orders/order.js';
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
  async place(@Body() request: PlaceOrderDto): Promise<OrderView> {
    return orderView(await this.checkout.place(request));
  }

  @Get(':reference')
  async find(@Param('reference') reference: string): Promise<OrderView> {
    return orderView(await this.orders.find(reference));
  }
}
