import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { OrdersService } from './orders.service.js';

const EVERY_MS = 300_000;

/** Looks after orders whose webhook does not come. */
@Injectable()
export class RecoveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RecoveryService.name);
  private readonly timer = setInterval(() => void this.lookAfterPayments(), EVERY_MS).unref();

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly orders: OrdersService,
  ) {}

  /** Not awaited: each open payment may take as long as a call, and the shop has webhooks to receive. */
  onApplicationBootstrap(): void {
    void this.lookAfterPayments();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** A status answer, the answer of a probe and `settle()` run no handler, so each open order asks the journal. */
  async lookAfterPayments(): Promise<void> {
    try {
      await this.journal.recover();
      for (const { reference } of this.orders.unsettled()) {
        const payment = await this.journal.get('collection', reference);
        if (payment) this.orders.ended(payment);
      }
    } catch (error) {
      this.logger.error(error);
    }
  }
}
