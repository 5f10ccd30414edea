import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  distinctUntilChanged,
  filter,
  merge,
  type Observable,
  of,
  ReplaySubject,
  Subject,
  switchMap,
  takeUntil,
  takeWhile,
} from 'rxjs';
import { Database } from '../database/database.js';
import { type Order } from './order.js';
import { OrdersRepository } from './orders.repository.js';

/**
 * Follows orders on any instance of the shop. The database notifies every instance which order has changed,
 * and the instance reads its state. So a page that reconnects, or a lost notification, misses nothing.
 */
@Injectable()
export class LiveOrders implements OnApplicationBootstrap, OnModuleDestroy {
  /** The number of a changed order; undefined: any order may have changed. */
  private readonly changes = new Subject<string | undefined>();
  /** Also ends a stream that is asked for after this. */
  private readonly closing = new ReplaySubject<void>(1);

  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.database.listen('order_changed', (number) => {
      this.changes.next(number);
    });
  }

  /** Ends the streams, which would hold the HTTP server open. The pages connect to another instance. */
  onModuleDestroy(): void {
    this.closing.next();
    this.closing.complete();
  }

  /** Emits the order now, and at each change until it is paid. */
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
