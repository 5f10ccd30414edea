import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { OrdersService } from './orders.service.js';

const EVERY_MS = 300_000;

/** Looks after orders whose webhook does not come. */
@Injectable()
export class RecoveryService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(RecoveryService.name);
  private readonly timer = setInterval(() => {
    this.begin();
  }, EVERY_MS).unref();
  private running: Promise<void> | undefined;
  private isStopping = false;

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly orders: OrdersService,
  ) {}

  /** Not awaited: each open payment may take as long as a call, and the shop has webhooks to receive. */
  onApplicationBootstrap(): void {
    this.begin();
  }

  /** Waits for nothing: the package tells `recover()` to stop only after this. */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.isStopping = true;
  }

  /** Waits for the end of a run while the storage is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** A status answer, the answer of a probe and `settle()` run no handler, so each open order asks the journal. */
  async lookAfterPayments(): Promise<void> {
    await this.journal.recover();
    for (const { reference } of this.orders.unsettled()) {
      if (this.isStopping) return;
      await this.lookAfter(reference);
    }
  }

  /** An order that cannot be looked after delays no other one. */
  private async lookAfter(reference: string): Promise<void> {
    try {
      const payment = await this.journal.get('collection', reference);
      if (payment) this.orders.ended(payment);
      else this.orders.notAsked(reference);
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
