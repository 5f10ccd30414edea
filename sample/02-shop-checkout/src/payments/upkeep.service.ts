import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { OrdersReconciler } from './orders.reconciler.js';

/** At each run every instance sends planned payments: a shorter interval would slow the account down. */
const FIVE_MINUTES_MS = 300_000;
const DAY_MS = 86_400_000;

/** Periodic tasks. All instances may run them at the same time. */
@Injectable()
export class UpkeepService implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(UpkeepService.name);
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly reconciler: OrdersReconciler,
  ) {}

  onApplicationBootstrap(): void {
    this.begin('looking after payments', FIVE_MINUTES_MS, () => this.lookAfterPayments());
    this.begin('forgetting what is old', DAY_MS, () => this.forget());
  }

  /** Waits for nothing: the package tells `recover()` to stop only after this. */
  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Waits for running tasks while the database is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.values());
  }

  /**
   * Recovers payments that a crash left open, marks those without news for too long, then reconciles their
   * orders.
   */
  async lookAfterPayments(): Promise<void> {
    await this.journal.recover();
    await this.reconciler.reconcile();
  }

  private async forget(): Promise<void> {
    await this.journal.purge({ olderThanMs: 400 * DAY_MS });
  }

  /**
   * Starts at once, because an instance may live for less than a day, then repeats, but never twice at a
   * time.
   */
  private begin(what: string, everyMs: number, work: () => Promise<void>): void {
    const run = (): void => {
      if (this.underWay.has(what)) return;
      const ended = work()
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : 'unknown problem';
          this.logger.error(`${what}: ${reason} It is done again later.`);
        })
        .finally(() => this.underWay.delete(what));
      this.underWay.set(what, ended);
    };
    run();
    this.timers.push(setInterval(run, everyMs).unref());
  }
}
