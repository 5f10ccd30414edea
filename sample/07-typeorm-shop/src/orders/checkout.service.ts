import { randomUUID } from 'node:crypto';
import { BadRequestException, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { CollectionsService, PaymentOutcomeUnknownError, PaymentRejectedError } from 'nestjs-payments';
import { Repository } from 'typeorm';
import { Order } from './order.entity.js';
import { type PlaceOrderDto } from './place-order.dto.js';
import { Product } from './product.entity.js';

@Injectable()
export class CheckoutService {
  constructor(
    private readonly collections: CollectionsService,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectRepository(Product) private readonly products: Repository<Product>,
  ) {}

  /** Writes the order down, and asks the customer's phone for the money. */
  async place(request: PlaceOrderDto): Promise<Order> {
    const { product: code, quantity } = request;
    const product = await this.products.findOneBy({ code });
    if (!product) throw new BadRequestException('choose one of the products');
    const reference = `order-${randomUUID()}`;
    // Before the money is asked for: the webhook must find the order.
    await this.orders.insert({
      reference,
      product: code,
      quantity,
      amount: amountOf(product.price, quantity),
      status: 'waiting',
    });
    await this.collect(reference, request);
    return this.orders.findOneByOrFail({ reference });
  }

  private async collect(reference: string, { name, email, phone }: PlaceOrderDto): Promise<void> {
    const { amount } = await this.orders.findOneByOrFail({ reference });
    try {
      const payment = { reference, amount, phone, customer_name: name, customer_email: email };
      // A visitor waits for the page, so there is no time for a probe. `RecoveryService` makes it later.
      await this.collections.mobileMoney(payment, { deadlineMs: 10_000 });
    } catch (error) {
      // Only this proves that no money moved.
      if (error instanceof PaymentRejectedError && error.final) {
        await this.orders.update({ reference, status: 'waiting' }, { status: 'not-paid' });
        throw error;
      }
      // The customer may have been asked: the order waits for its outcome.
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
  }
}

/** In whole cents: a product of floating-point numbers is not always an amount. */
function amountOf(price: string, quantity: number): string {
  const cents = BigInt(price.replace('.', '')) * BigInt(quantity);
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
