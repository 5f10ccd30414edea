import { Body, Controller, Get, Header, HttpCode, type MessageEvent, Param, Post, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { CheckoutService } from './checkout.service.js';
import { LiveOrders } from './live-orders.js';
import { type OrderView, orderView } from './order.js';
import { OrderNumberPipe } from './order-number.pipe.js';
import { PayAgainDto, PlaceOrderDto } from './place-order.dto.js';

/** Time until a page reconnects after the end of its stream. */
const AGAIN_AFTER_MS = 1_000;

@Controller('api/orders')
export class OrdersController {
  constructor(
    private readonly checkout: CheckoutService,
    private readonly live: LiveOrders,
  ) {}

  @Post()
  async place(@Body() request: PlaceOrderDto): Promise<OrderView> {
    return orderView(await this.checkout.place(request));
  }

  @Post(':number/pay')
  @HttpCode(200)
  async pay(
    @Param('number', OrderNumberPipe) number: string,
    @Body() { phone }: PayAgainDto,
  ): Promise<OrderView> {
    return orderView(await this.checkout.pay(number, phone));
  }

  @Get(':number')
  @Header('Cache-Control', 'no-store')
  async show(@Param('number', OrderNumberPipe) number: string): Promise<OrderView> {
    return orderView(await this.checkout.find(number));
  }

  @Sse(':number/events')
  async follow(@Param('number', OrderNumberPipe) number: string): Promise<Observable<MessageEvent>> {
    await this.checkout.find(number);
    return this.live
      .follow(number)
      .pipe(map((order) => ({ type: 'order', retry: AGAIN_AFTER_MS, data: orderView(order) })));
  }
}
