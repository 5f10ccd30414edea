import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { PaymentsJournal } from 'nestjs-payments';
import { Repository } from 'typeorm';
import { Order } from './order.entity.js';
import { OutcomesService } from './outcomes.service.js';
import { ReceiptPrinter } from './receipt.printer.js';

const EVERY_MS = 300_000;
/** How long the goods wait for a customer who may press Pay again. Longer than a call, which may still be running. */
const HOLD_MS = 300_000;

/** Looks after the orders whose webhook does not come, and prints receipts. */
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
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly outcomes: OutcomesService,
    private readonly printer: ReceiptPrinter,
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

  /** Waits for the end of a run while the database is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** A status answer, the answer of a probe and `settle()` run no handler, so each waiting order asks the journal. */
  async lookAfterPayments(): Promise<void> {
    await this.journal.recover();
    for (const { reference } of await this.orders.find({ where: { status: 'waiting' } })) {
      if (this.isStopping) return;
      await this.lookAfter(reference);
    }
    await this.printer.printDue();
  }

  /** An order that cannot be looked after delays no other one. */
  private async lookAfter(reference: string): Promise<void> {
    try {
      const askedBefore = new Date(Date.now() - HOLD_MS);
      const payment = await this.journal.get('collection', reference);
      await this.orders.manager.transaction(async (transaction) => {
        if (payment) await this.outcomes.ended(payment, transaction);
        // Nothing was sent, or the gateway says that it did not take it.
        if (!payment || payment.state === 'rejected')
          await this.outcomes.notPaid(reference, transaction, askedBefore);
      });
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
