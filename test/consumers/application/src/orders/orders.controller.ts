import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import {
  MobileMoneyCollectionDto,
  NameLookupDto,
  type CollectionPayment,
  type NameLookupResult,
} from 'nestjs-payments';
import { OrdersService, type Order } from './orders.service.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  collect(@Body() request: MobileMoneyCollectionDto): Promise<CollectionPayment> {
    return this.orders.collect(request);
  }

  @Post('recipient')
  recipient(@Body() request: NameLookupDto): Promise<NameLookupResult> {
    return this.orders.recipient(request);
  }

  @Get(':reference')
  find(@Param('reference') reference: string): Order {
    return this.orders.find(reference);
  }
}
