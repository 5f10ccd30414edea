import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PaymentsInbox, PaymentsJournal } from 'nestjs-payments';
import { OrdersReconciler } from './orders.reconciler.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What somebody has to do from time to time. Every instance may: they do not get into each other's way. */
@Injectable()
export class UpkeepService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(UpkeepService.name);
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly inbox: PaymentsInbox,
    private readonly reconciler: OrdersReconciler,
  ) {}

  onApplicationBootstrap(): void {
    const every = (ms: number, work: () => Promise<unknown>): void => {
      this.timers.push(setInterval(() => void this.inTurn(work), ms).unref());
    };
    void this.inTurn(() => this.lookAfterPayments());
    every(MINUTE_MS, () => this.lookAfterPayments());
    every(DAY_MS, () => this.forget());
  }

  /** What has begun is finished; the database is still there. */
  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
  }

  /** Payments that a crash left open, those of which nothing was heard for too long, and then their orders. */
  async lookAfterPayments(): Promise<void> {
    await this.journal.recover();
    await this.reconciler.reconcile();
  }

  private async forget(): Promise<void> {
    await this.inbox.purge();
    await this.journal.purge({ olderThanMs: 400 * DAY_MS });
  }

  private inTurn(work: () => Promise<unknown>): Promise<void> {
    this.running = this.running.then(work).then(
      () => undefined,
      (error: unknown) => {
        this.logger.error(`Tried again later: ${error instanceof Error ? error.message : 'unknown problem'}`);
      },
    );
    return this.running;
  }
}
