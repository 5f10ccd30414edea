import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PaymentsAccounts } from 'nestjs-payments';
import { type Order, OrdersService } from './orders.service.js';

const EVERY_MS = 300_000;

/** Looks after the orders of all merchants whose webhook does not come. */
@Injectable()
export class RecoveryService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(RecoveryService.name);
  private readonly timer = setInterval(() => {
    this.begin();
  }, EVERY_MS).unref();
  private running: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    private readonly payments: PaymentsAccounts,
    private readonly orders: OrdersService,
  ) {}

  /** Not awaited: each open payment may take as long as a call, and the marketplace has webhooks to receive. */
  onApplicationBootstrap(): void {
    this.begin();
  }

  /** Waits for nothing: the package tells `recover()` to stop only after this. */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.isStopping = true;
  }

  /** Waits for the end of a run while the database is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** A status answer, the answer of a probe and `settle()` run no handler, so each waiting order asks the journal. */
  async lookAfterPayments(): Promise<void> {
    await this.payments.all.journal.recover();
    for (const order of await this.orders.waiting()) {
      if (this.isStopping) return;
      await this.lookAfter(order);
    }
  }

  /** A merchant whose keys cannot be read delays nobody else. */
  private async lookAfter(order: Order): Promise<void> {
    const { merchant, reference } = order;
    try {
      const payment = await this.payments.for(merchant).journal.get('collection', reference);
      if (payment) await this.orders.ended(order, payment);
      else await this.orders.nothingSent(order);
    } catch (error) {
      this.logger.error(error);
    }
  }

  private begin(): void {
    this.running ??= this.lookAfterPayments()
      .catch((error: unknown) => {
        this.logger.error(error);
      })
      .finally(() => {
        this.running = undefined;
      });
  }
}
