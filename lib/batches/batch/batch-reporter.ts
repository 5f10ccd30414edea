import { type ApplicationEvents } from '../../common/application-events.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { pause } from '../../common/timing.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { type PayoutBatchEvents } from './batch-events.js';
import { progressOf } from './batch-progress.js';
import { type BatchContext } from './batch-context.js';
import { type BatchPlace } from './batch-notifier.js';

/** A batch changes hundreds of times a second, and its counts are a query. */
const REPORT_EVERY_MS = 1_000;

/** Emits the progress of batches that this process works on. */
export class BatchReporter {
  private readonly logger = new SafeLogger('PayoutBatches');
  private readonly waiting = new Set<string>();

  constructor(
    private readonly events: ApplicationEvents<PayoutBatchEvents>,
    private readonly context: Pick<BatchContext, 'accounts' | 'now' | 'stopping'>,
  ) {}

  /** The last change of a batch is always in a report: each report waits first, and reads afterwards. */
  changed(place: BatchPlace): void {
    if (!this.events.hasSubscribers || this.waiting.has(place.load)) return;
    this.waiting.add(place.load);
    this.report(place).catch((error: unknown) => {
      this.logger.warn(`The progress of the batch "${place.batch}" was not emitted: ${failureLabel(error)}`);
    });
  }

  private async report({ account, batch, load }: BatchPlace): Promise<void> {
    const goesOn = await pause(REPORT_EVERY_MS, this.context.stopping);
    this.waiting.delete(load);
    if (!goesOn) return;
    const { scope, store } = await this.context.accounts.open(account);
    const stored = await store.get({ ...scope, batch });
    if (stored?.record.load !== load) return;
    const progress = progressOf(stored, await store.counts(load), this.context.now());
    this.events.of(account).emit('payout-batch.progress', { account, batch, ...progress });
  }
}
