import { inspect } from 'node:util';
import { type BatchEngine, type BatchJob } from '../../batches/engine/batch-engine.js';
import { count, milliseconds, readOptions } from '../../config/option.js';
import { isRecord } from '../../common/json-object.js';
import { type OptionError, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { BatchJobQueue } from './batch-job.queue.js';
import { BatchJobWorker } from './batch-job.worker.js';
import { type EngineSettings, otherJobs, redisJobs } from './engine-settings.js';
import { OutageLog } from './outage.log.js';

/**
 * Options of `bullmqEngine`.
 *
 * @publicApi
 */
export interface BullmqEngineOptions {
  /**
   * Address of Redis: `{ host, port }`, `{ url }` or an ioredis client, whose options are taken; no other client. With
   * `backend`, what that backend takes, for example the address of PostgreSQL or a `Pool` of `pg`.
   */
  readonly connection: object | string;
  /**
   * Where jobs are instead of in Redis: `createPostgresBackend` of `bullmq` 6.7 or newer.
   * @default BullMQ's own default, which is Redis
   */
  readonly backend?: (...given: never[]) => object;
  /**
   * BullMQ's prefix of all keys in Redis. Give each environment and each merchant that share the Redis another `prefix` or
   * `queueName`: workers take every job that they find, and a job that belongs to other processes waits for one of those,
   * and is dropped after 100 tries in a row of processes without its batch.
   * @default 'bull'
   */
  readonly prefix?: string;
  /** Name of the queue, the same in every process that has the same batches. @default 'payments-batches' */
  readonly queueName?: string;
  /**
   * How many lines all processes together look up or send in a second, on average: a chunk of 100 lines begins every
   * 100 / `linesPerSecond` seconds. A job of a run that was paused or is over does not count. Above 0, at most 100000.
   * Without it, only the `rate` of each process limits them.
   */
  readonly linesPerSecond?: number;
  /** How many chunks this process works on at once. @default 1 */
  readonly concurrency?: number;
  /**
   * How long a chunk belongs to a process that does not answer any more, in milliseconds; then another one begins it again.
   * @default 30_000
   */
  readonly lockMs?: number;
  /** Whether this process works on batches; false: it only creates and starts them. @default true */
  readonly worker?: boolean;
}

const FIELDS = [
  'connection',
  'backend',
  'prefix',
  'queueName',
  'linesPerSecond',
  'concurrency',
  'lockMs',
  'worker',
];
const NUMBERS = {
  concurrency: count({ min: 1, max: 100, default: 1 }),
  lockMs: milliseconds({ min: 100, default: 30_000 }),
};

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`bullmqEngine option \`${option}\` ${problem}`);

/**
 * Runs the jobs of batches with BullMQ, on as many processes and machines as you like. Jobs are in Redis; what is paid is in
 * the storage and the journal, so a Redis that loses its jobs loses no payment: a process that starts gives the work to the
 * queue again, and so does `pause()` and `resume()` of a batch. Needs `bullmq`.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown.
 *
 * @example
 * ```ts
 * PayoutBatchesModule.forRoot({ engine: bullmqEngine({ connection: { host: '127.0.0.1', port: 6379 }, linesPerSecond: 10 }) })
 * ```
 *
 * @publicApi
 */
export function bullmqEngine(options: BullmqEngineOptions): BatchEngine {
  if (!isRecord(options)) throw error('options', 'must be an object: write { connection: { host, port } }.');
  refuseUnknown(options, FIELDS, error);
  const { linesPerSecond, prefix, backend, queueName = 'payments-batches', worker = true } = options;
  if (linesPerSecond !== undefined && !(linesPerSecond > 0 && linesPerSecond <= 100_000)) {
    throw error('linesPerSecond', 'must be a number above 0, at most 100000: write for example 10.');
  }
  if (backend !== undefined && typeof backend !== 'function') {
    throw error(
      'backend',
      'is no backend of BullMQ: write createPostgresBackend, or leave it out for Redis.',
    );
  }
  return new BullmqEngine({
    jobs: backend ? otherJobs(backend, options.connection, error) : redisJobs(options.connection, error),
    queueName,
    prefix,
    linesPerSecond,
    worker,
    ...readOptions(NUMBERS, { ...options }, '', error),
  });
}

class BullmqEngine implements BatchEngine {
  readonly name = 'bullmq';
  private isClosed = false;
  /** Closures, as the settings are. */
  private queue: (() => BatchJobQueue) | undefined;
  private worker: (() => BatchJobWorker) | undefined;
  private readonly outage: OutageLog;
  /** A closure, because it holds the password of Redis. */
  private readonly settings: () => EngineSettings;

  constructor(settings: EngineSettings) {
    this.settings = () => settings;
    this.outage = new OutageLog('batches wait', settings.jobs.name);
  }

  start(run: (job: BatchJob) => Promise<unknown>): void {
    // The options of a module are made once, and its application may be started again in the same process, as tests do.
    this.isClosed = false;
    this.open();
    const settings = this.settings();
    if (!settings.worker) return;
    const worker = new BatchJobWorker(settings, this.outage, run, () => this.open().returnTurn());
    this.worker = () => worker;
  }

  async add(jobs: readonly BatchJob[], delayMs = 0): Promise<void> {
    if (this.isClosed) {
      throw new PaymentsStorageError('The queue of batches is closed, because the application stops.', {
        hint: 'Do it again in a process that runs.',
      });
    }
    await this.open().add(jobs, delayMs);
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    // What still runs may add a job.
    await worker?.().stop(() => this.open().answers());
    const { queue } = this;
    this.isClosed = true;
    this.queue = undefined;
    await queue?.().close();
  }

  /** Hides the connection. */
  [inspect.custom](): string {
    return `BullmqEngine { ${this.settings().queueName} }`;
  }

  /** It connects when it is used, and not when the file of a module is imported. */
  private open(): BatchJobQueue {
    if (!this.queue) {
      const queue = new BatchJobQueue(this.settings(), this.outage);
      this.queue = () => queue;
    }
    return this.queue();
  }
}
