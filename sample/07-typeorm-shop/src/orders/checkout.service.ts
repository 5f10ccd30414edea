import { createHash } from 'node:crypto';
import { BadRequestException, ConflictException, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  CollectionsService,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsJournal,
  PaymentsValidationError,
} from 'nestjs-payments';
import { type EntityManager, Repository } from 'typeorm';
import { Order } from './order.entity.js';
import { OutcomesService } from './outcomes.service.js';
import { type PlaceOrderDto } from './place-order.dto.js';
import { Product } from './product.entity.js';
import { takeGoods } from './stock.js';

@Injectable()
export class CheckoutService {
  constructor(
    private readonly collections: CollectionsService,
    private readonly journal: PaymentsJournal,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly outcomes: OutcomesService,
  ) {}

  /** Writes the order down, and asks the customer's phone for the money. */
  async place(request: PlaceOrderDto): Promise<Order> {
    const reference = `order-${request.checkout}`;
    // Before the money is asked for: the webhook must find the order.
    const isWaiting = await this.orders.manager.transaction((transaction) =>
      this.store(reference, request, transaction),
    );
    if (isWaiting) await this.collect(await this.orders.findOneByOrFail({ reference }), request);
    return this.orders.findOneByOrFail({ reference });
  }

  /** Writes the order down and takes its goods, once for one `checkout`. Returns false if the order has ended. */
  private async store(
    reference: string,
    { product: code, quantity, phone, name, email }: PlaceOrderDto,
    transaction: EntityManager,
  ): Promise<boolean> {
    const product = await transaction.findOneBy(Product, { code });
    if (!product) throw new BadRequestException('choose one of the products');
    const order = { reference, product: code, quantity, amount: amountOf(product.price, quantity) };
    const request = hashOf([code, quantity, phone, name, email]);
    const insert = transaction.createQueryBuilder().insert().into(Order);
    const written = await insert
      .values({ ...order, request, status: 'waiting', askedAt: new Date() })
      .orIgnore()
      .returning('reference')
      .execute();
    const isNew = (written.raw as readonly unknown[]).length === 1;
    if (isNew && !(await takeGoods(order, transaction))) throw new ConflictException('too few are left');
    // Nobody may believe that a corrected phone was asked, or that other goods are on their way.
    if (!(await transaction.findOneBy(Order, { reference, request })))
      throw new ConflictException(
        'this order was placed with other details: load the page again for another order',
      );
    // An order that was given up has no goods any more: nobody is asked to pay it.
    const again = { reference, status: 'waiting' } as const;
    return isNew || (await transaction.update(Order, again, { askedAt: new Date() })).affected === 1;
  }

  /** Of a page that is sent again, the same call joins the first one: it sends nothing, unless that was not taken. */
  private async collect({ reference, amount }: Order, { name, email, phone }: PlaceOrderDto): Promise<void> {
    try {
      const payment = { reference, amount, phone, customer_name: name, customer_email: email };
      // A visitor waits for the page, so there is no time for a probe. `RecoveryService` makes it later.
      await this.collections.mobileMoney(payment, { deadlineMs: 10_000 });
    } catch (error) {
      if (await this.isOver(error, reference)) {
        await this.orders.manager.transaction((transaction) => this.outcomes.notPaid(reference, transaction));
        throw error;
      }
      // The customer may have been asked, or may press Pay again: the order waits.
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
  }

  /** Whether it is certain that no money moved, and that the same call would move none. */
  private async isOver(error: unknown, reference: string): Promise<boolean> {
    if (error instanceof PaymentRejectedError) return error.final;
    if (!(error instanceof PaymentsValidationError) || error.mayHaveBeenProcessed !== false) return false;
    // It speaks of this request alone. An earlier one may have asked the customer before the limits became stricter.
    return (await this.journal.get('collection', reference)) === undefined;
  }
}

function hashOf(fields: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** In whole cents: a product of floating-point numbers is not always an amount. */
function amountOf(price: string, quantity: number): string {
  const cents = BigInt(price.replace('.', '')) * BigInt(quantity);
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
