import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { OrdersService } from './orders.service.js';

const EVERY_MS = 300_000;

/** Looks after orders whose webhook does not come. */
@Injectable()
export class RecoveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RecoveryService.name);
  private readonly timer = setInterval(() => {
    this.begin();
  }, EVERY_MS).unref();
  private running: Promise<void> | undefined;

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly orders: OrdersService,
  ) {}

  /** Not awaited: each open payment may take as long as a call, and the shop has webhooks to receive. */
  onApplicationBootstrap(): void {
    this.begin();
  }

  /** Waits for a run while the storage is still open. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** A status answer, the answer of a probe and `settle()` run no handler, so each open order asks the journal. */
  async lookAfterPayments(): Promise<void> {
    await this.journal.recover();
    for (const { reference } of this.orders.unsettled()) {
      const payment = await this.journal.get('collection', reference);
      if (payment) this.orders.ended(payment);
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
