import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  distinctUntilChanged,
  filter,
  merge,
  type Observable,
  of,
  Subject,
  switchMap,
  takeUntil,
  takeWhile,
} from 'rxjs';
import { Database } from '../database/database.js';
import { type Order } from './order.js';
import { OrdersRepository } from './orders.repository.js';

/**
 * Orders as they change, on whichever instance of the shop: the database tells every instance which one has changed, and
 * what it is now is read there. So nothing is lost when a page connects again, or news were missed.
 */
@Injectable()
export class LiveOrders implements OnApplicationBootstrap, OnModuleDestroy {
  /** The number of an order; undefined: any may have changed. */
  private readonly changes = new Subject<string | undefined>();
  private readonly closing = new Subject<void>();

  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.database.listen('order_changed', (number) => {
      this.changes.next(number);
    });
  }

  /** Pages that follow their orders would hold the HTTP server open; they connect to another instance. */
  onModuleDestroy(): void {
    this.closing.next();
    this.closing.complete();
  }

  /** The order now, and at each change until it is paid. */
  follow(number: string): Observable<Order> {
    const mine = this.changes.pipe(filter((changed) => changed === undefined || changed === number));
    return merge(mine, of(number)).pipe(
      switchMap(() => this.orders.find(number)),
      filter((order) => order !== undefined),
      distinctUntilChanged((before, after) => before.version === after.version),
      takeWhile(({ state }) => state !== 'paid', true),
      takeUntil(this.closing),
    );
  }
}
