import { SafeLogger } from '../../common/safe-logger.js';
import { type StoredBatch } from '../../storage/batch-store.js';
import { type BatchContext } from '../batch/batch-context.js';
import { detailsOf } from '../batch/batch-details.js';
import { type BatchJob } from '../engine/batch-engine.js';
import { LOOK_AGAIN_MS } from './wake.js';

const LOOK_EVERY_MS = LOOK_AGAIN_MS.gateway;
/** A process whose clock is ahead may have numbered the looks. */
const LONGEST_MS = 1.5 * LOOK_EVERY_MS;

/**
 * Lets batches wait while the keys of their account are of another environment. The jobs of such a batch end, so that they hold no
 * turn at a rate. One job for the whole batch looks again and again, and gives the work to the engine once the keys are back.
 */
export class KeysWait {
  private readonly logger = new SafeLogger('PayoutBatches');
  /** The loads of which this process has said that they wait. */
  private readonly waiting = new Set<string>();

  constructor(private readonly context: Pick<BatchContext, 'engine' | 'now'>) {}

  /**
   * Lets the engine look later.
   *
   * @param lookBefore Number of the look that found other keys. @default 0, for work that found them
   */
  async wait({ record }: StoredBatch, lookBefore = 0): Promise<void> {
    const { batch, account, environment, load } = record;
    if (!this.waiting.has(load)) {
      this.waiting.add(load);
      this.logger.warn(
        `The batch "${batch}" of the account "${account}" waits until accounts.resolve returns keys of the ${environment} environment.`,
      );
    }
    const now = this.context.now();
    // All jobs ask for the same look, which the engine keeps once. It is never the one that is due now: that one may have found the
    // keys in another process, and given out the work before this job has ended.
    const look = Math.max(lookBefore, Math.floor(now / LOOK_EVERY_MS + 0.5)) + 1;
    const delayMs = Math.min(look * LOOK_EVERY_MS - now, LONGEST_MS);
    const { round } = detailsOf(record);
    const job: BatchJob = { kind: 'wake', account, environment, batch, load, round, chunk: look };
    await this.context.engine.add([job], delayMs);
  }

  /** The keys of a batch are there. The job that looked for them says so once, in whichever process it runs. */
  end({ kind, round }: BatchJob, { record }: StoredBatch): void {
    const { batch, account, environment, load, state } = record;
    const hasWaited = this.waiting.delete(load);
    // Only a pause and missing keys are looked after.
    const hasLooked = kind === 'wake' && state !== 'paused' && round === detailsOf(record).round;
    if (!hasLooked && !(hasWaited && kind === 'wake')) return;
    this.logger.log(
      `The batch "${batch}" of the account "${account}" continues: accounts.resolve returns keys of the ${environment} environment again.`,
    );
  }
}
