import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PaymentsJournal } from 'nestjs-payments';
import { OrdersReconciler } from './orders.reconciler.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Periodic tasks. All workers may run them at the same time. */
@Injectable()
export class Upkeep implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Upkeep.name);
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly journal: PaymentsJournal,
    private readonly reconciler: OrdersReconciler,
  ) {}

  onApplicationBootstrap(): void {
    this.begin('looking after open payments', 5 * MINUTE_MS, () => this.lookAfterPayments());
    this.begin('forgetting what is old', DAY_MS, () => this.forget());
    this.logger.log('Open payments are looked after');
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Waits for running tasks while Redis and the gateway are still available. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay.values());
  }

  /**
   * Starts at once, because a worker may live for less than a day, then repeats, but never twice at a time.
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

  /**
   * Recovers payments whose web process died, or whose answer was lost: the package probes them with the same
   * key. Then reconciles the orders whose payment has ended without a webhook.
   */
  private async lookAfterPayments(): Promise<void> {
    const { probed, settled, stillUnknown } = await this.journal.recover();
    await this.reconciler.reconcile();
    if (probed + settled + stillUnknown === 0) return;
    this.logger.log(`${probed} asked for again, ${settled} found, ${stillUnknown} still unknown`);
  }

  private async forget(): Promise<void> {
    await this.journal.purge({ olderThanMs: 400 * DAY_MS, rejectedOlderThanMs: 400 * DAY_MS });
  }
}
