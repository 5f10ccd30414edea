import { Body, Controller, Get, type MessageEvent, Param, Post, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
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

  @Sse(':reference/events')
  follow(@Param('reference') reference: string): Observable<MessageEvent> {
    return this.orders.follow(reference).pipe(map((data) => ({ data })));
  }
}
