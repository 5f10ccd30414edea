import { SafeLogger } from '../../common/safe-logger.js';
import { GatewayAnswerError, isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type BatchLine, type LineChange, type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { linesIn } from '../batch/batch-decisions.js';
import { type BatchPause, detailsOf } from '../batch/batch-details.js';
import { sentIn } from '../batch/batch-progress.js';
import { type BatchJob } from '../engine/batch-engine.js';
import { resultOf } from '../batch/line-result.js';
import { chunkDigest } from '../lines/payout-line.js';
import { isCheckOutdated } from '../policy/check-age-rule.js';
import { changeBatch } from '../batch/batch-change.js';
import { type BatchContext } from '../batch/batch-context.js';
import { batchOfJob } from './batch-of-job.js';
import { endCheck, endRun, SYSTEM } from './end-batch.js';
import { WORKED_ON } from './enqueue-chunks.js';
import { inParallel } from './in-parallel.js';
import { type KeysWait } from './keys-wait.js';
import { LineChecker } from './line-checker.js';
import { lookupsPause, MOST_NAMED } from './lookups-pause.js';
import { PaySteps } from './pay-steps.js';
import { sameRecipients } from './same-recipients.js';
import { unsentLines } from './unsent-lines.js';
import { scheduleWake, wake } from './wake.js';
import { windowPause } from './window-pause.js';

/** A job, and the batch that it belongs to as it is now. */
interface OpenedJob {
  readonly job: BatchJob;
  readonly account: BatchAccount;
  readonly stored: StoredBatch;
}

/** Runs the jobs that the engine hands out. A job may run twice, and at any time: what is stored decides. */
export class BatchWorker {
  private readonly logger = new SafeLogger('PayoutBatches');

  constructor(
    private readonly context: BatchContext,
    private readonly keys: KeysWait,
  ) {}

  /** Whether the job looked at lines. Rejects if it should run again later. */
  async run(job: BatchJob): Promise<boolean> {
    this.refuseWhenStopping();
    const account = await this.context.accounts.open(job.account);
    const stored = await batchOfJob(job, account, this.context.policy);
    if (!stored) return false;
    const hadLines = await this.work({ job, account, stored });
    this.context.notifier.changed(job);
    this.refuseWhenStopping();
    return hadLines;
  }

  private async work(opened: OpenedJob): Promise<boolean> {
    const { job, account, stored } = opened;
    const { record } = stored;
    const { pause } = detailsOf(record);
    const { context } = this;
    if (job.kind === 'pay' && record.state === 'paused') {
      // An earlier run of this job may have paused the batch, and died before it asked to be woken.
      if (pause) await scheduleWake({ ...job, chunk: 0 }, pause, context);
      return false;
    }
    if (account.scope.environment !== record.environment) {
      await this.keys.wait(stored, job.kind === 'wake' ? job.chunk : 0);
      return false;
    }
    this.keys.end(job, stored);
    if (job.kind === 'wake') await wake(job, account, stored, context);
    if (job.kind === 'check') await this.check(opened);
    if (job.kind === 'pay') await this.pay(opened);
    return job.kind !== 'wake';
  }

  /** The engine keeps the job for the next process. */
  private refuseWhenStopping(): void {
    if (!this.context.stopping.aborted) return;
    throw new PaymentsError(
      'STOPPING',
      'The application stops: the rest of the chunk waits for the next process.',
    );
  }

  private async check(opened: OpenedJob): Promise<void> {
    const { job, account, stored } = opened;
    const { store } = account;
    const lines = await store.linesOf(job.load, job.chunk);
    const waiting = lines.filter(({ state }) => state === 'waiting');
    try {
      const open = await this.checkLines(opened, waiting);
      if (open.length > 0) throw lookupsFailed(open);
    } catch (error) {
      if (!isPaymentsError(error) || error.retryable) throw error;
      // Wrong keys, for example: every other chunk would meet the same.
      const details = { reason: error.message };
      const stopped = await changeBatch(account, stored, ({ record }) =>
        // Somebody may have corrected the keys, and begun another check.
        detailsOf(record).round === job.round ? { action: 'check-stop', by: SYSTEM, details } : undefined,
      );
      if (!stopped) return;
      this.logger.error(`The check of the batch "${job.batch}" stopped: ${error.message}`);
      return;
    }
    await endCheck(account, stored);
  }

  /**
   * Checks lines and writes what was found, also if the gateway fails in the middle. Returns those about whose recipients it
   * gave no usable answer.
   */
  private async checkLines(
    { job, account }: OpenedJob,
    lines: readonly BatchLine[],
  ): Promise<readonly BatchLine[]> {
    const { policy, concurrency, now, stopping } = this.context;
    const same = await sameRecipients(account.store, job.load, lines, policy);
    const checker = new LineChecker(account.services, policy);
    const changes: LineChange[] = [];
    const open: BatchLine[] = [];
    try {
      await inParallel(
        lines,
        concurrency,
        async (line) => {
          const { change, isOpen } = await checker.check(line, line.state, same.get(line.number) ?? [], {
            now: now(),
            round: job.round,
          });
          if (isOpen) open.push(line);
          if (change) changes.push(change);
        },
        () => !stopping.aborted,
      );
    } finally {
      if (changes.length > 0) await account.store.change(job.load, changes);
    }
    return open;
  }

  private async pay(opened: OpenedJob): Promise<void> {
    const { job, account, stored } = opened;
    const closed = windowPause(this.context);
    if (closed) {
      await this.pause(opened, closed);
      return;
    }
    const current = await this.withCurrentChecks(opened).catch(async (error: unknown) => {
      if (!isPaymentsError(error) || error.retryable) throw error;
      // Wrong keys, for example: a person has to do something.
      await this.pause(opened, { reason: error.message });
    });
    if (!current) return;
    const { lines, open } = current;
    const reason = await this.changeOf(opened, lines);
    if (reason !== undefined) {
      await this.pause(opened, { reason });
      return;
    }
    const ready = lines.filter(({ number }) => !open.some((line) => line.number === number));
    const { stop, isOver } = await new PaySteps(account, stored, this.context).payChunk(job.chunk, ready);
    if (stop) await this.pause(opened, stop);
    if (stop || isOver) return;
    if (open.length > 0) {
      this.refuseWhenStopping();
      await this.waitForLookups(opened, open);
      return;
    }
    await this.refuseOpenLines(opened);
    await endRun(account, stored);
  }

  /** A recipient that the gateway stumbles over does not hold up the chunks behind it, and is not left unpaid in silence. */
  private async waitForLookups(opened: OpenedJob, open: readonly BatchLine[]): Promise<void> {
    const { job, account, stored } = opened;
    const { store } = account;
    const behind = await store.chunksIn(job.load, WORKED_ON.pay, { after: job.chunk, limit: 1 });
    if (behind.length > 0) throw lookupsFailed(open);
    const [counts, named] = await Promise.all([
      store.counts(job.load),
      // Lines of the chunks before may be open, too.
      store.lines(job.load, { after: 0, limit: MOST_NAMED, states: ['checked'] }),
    ]);
    const { run } = detailsOf(stored.record);
    const pause = lookupsPause({
      keys: named.map(({ key }) => key),
      lines: linesIn(counts, 'checked'),
      sent: sentIn(counts) - (run?.sentBefore ?? 0),
      looksBefore: run?.looksBefore ?? 0,
    });
    await this.pause(opened, pause);
  }

  /** Another process may have taken lines of the chunk, and died since: nobody else would send them in this run. */
  private async refuseOpenLines({ job, account }: OpenedJob): Promise<void> {
    const [open] = await account.store.chunksIn(job.load, WORKED_ON.pay, { after: job.chunk - 1, limit: 1 });
    if (open !== job.chunk) return;
    throw new PaymentsError(
      'CHUNK_OPEN',
      'Another process works on lines of the chunk, or died a moment ago: they are waited for.',
    );
  }

  /**
   * The lines of the chunk, and those of them that cannot be checked now. What was checked too long ago is checked again before
   * it is sent.
   */
  private async withCurrentChecks(
    opened: OpenedJob,
  ): Promise<{ readonly lines: readonly BatchLine[]; readonly open: readonly BatchLine[] }> {
    const { job, account } = opened;
    const { policy, now, concurrency } = this.context;
    const lines = await account.store.linesOf(job.load, job.chunk);
    const outdated = lines.filter(
      ({ state, result }) =>
        WORKED_ON.pay.includes(state) && isCheckOutdated(resultOf(result).checkedAt ?? 0, now(), policy),
    );
    if (outdated.length === 0) return { lines, open: [] };
    const unsent = await unsentLines(account, job, outdated, concurrency);
    const open = await this.checkLines(opened, unsent);
    return { lines: await account.store.linesOf(job.load, job.chunk), open };
  }

  /** Why the lines cannot be those that were loaded; undefined if they are. */
  private async changeOf(
    { job, account }: OpenedJob,
    lines: readonly BatchLine[],
  ): Promise<string | undefined> {
    const [loaded] = await account.store.chunks(job.load, { after: job.chunk - 1, limit: 1 });
    const hashes = account.storedHashes(chunkDigest(lines));
    if (loaded?.chunk === job.chunk && hashes.includes(loaded.digest)) return undefined;
    const isKeyed = hashes.length > 1;
    const orKey = isKeyed ? ', or the option encryption does not have the key of that time' : '';
    return `Lines of the chunk ${job.chunk} were changed after they were loaded${orKey}.`;
  }

  private async pause({ job, account, stored }: OpenedJob, pause: BatchPause): Promise<void> {
    const paused = await changeBatch(account, stored, ({ record }) =>
      // Somebody may have paused it, and resumed it: then it is another run that continues.
      record.state === 'running' && detailsOf(record).round === job.round
        ? { action: 'pause', by: SYSTEM, details: { reason: pause.reason }, changes: { pause } }
        : undefined,
    );
    if (!paused) return;
    this.logger.warn(`The batch "${job.batch}" pauses: ${pause.reason}`);
    await scheduleWake({ ...job, chunk: 0 }, pause, this.context);
  }
}

function lookupsFailed({ length }: readonly BatchLine[]): GatewayAnswerError {
  return new GatewayAnswerError(
    'LOOKUP_FAILED',
    `The gateway gave no usable answer about ${length} recipients.`,
  );
}
