import { type Job, Queue, type RedisOptions, Worker } from 'bullmq';
import { inspect } from 'node:util';
import { type BatchEngine, type BatchJob, jobId } from '../../batches/engine/batch-engine.js';
import { CHUNK_LINES } from '../../batches/loading/chunk-lines.js';
import { backOffMs, withDeadline } from '../../common/timing.js';
import { count, milliseconds, readOptions } from '../../config/option.js';
import { type OptionError } from '../../config/option-checks.js';
import { failureLabel, PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { OutageLog } from './outage.log.js';
import {
  connectionOptions,
  ignoreLateErrors,
  producerConnection,
  workerConnection,
} from './queue-connection.js';

/**
 * Options of `bullmqEngine`.
 *
 * @publicApi
 */
export interface BullmqEngineOptions {
  /** Address of Redis: `{ host, port }`, `{ url }` or an ioredis client, whose options are taken. */
  readonly connection: object;
  /** BullMQ's prefix of all keys in Redis. @default 'bull' */
  readonly prefix?: string;
  /** Name of the queue, the same in every process. @default 'payments-batches' */
  readonly queueName?: string;
  /**
   * How many lines all processes together look up or send in a second, on average: a chunk of 100 lines begins every
   * 100 / `linesPerSecond` seconds. Without it, only the `rate` of each process limits them.
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

const FIELDS = ['connection', 'prefix', 'queueName', 'linesPerSecond', 'concurrency', 'lockMs', 'worker'];
const NUMBERS = {
  concurrency: count({ min: 1, max: 100, default: 1 }),
  lockMs: milliseconds({ min: 100, default: 30_000 }),
};
const BACK_OFF = { baseDelayMs: 1_000, maxDelayMs: 60_000 };
const CLOSES_WITHIN_MS = 2_000;

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
  const unknown = Object.keys(options).find((option) => !FIELDS.includes(option));
  if (unknown !== undefined) throw error(unknown, `does not exist: write one of ${FIELDS.join(', ')}.`);
  const { linesPerSecond, prefix, queueName = 'payments-batches', worker = true } = options;
  if (linesPerSecond !== undefined && !(linesPerSecond > 0 && linesPerSecond <= 100_000)) {
    throw error('linesPerSecond', 'must be a number greater than 0: write for example 10.');
  }
  return new BullmqEngine({
    connection: connectionOptions(options.connection, error),
    queueName,
    prefix,
    linesPerSecond,
    worker,
    ...readOptions(NUMBERS, { ...options }, '', error),
  });
}

interface EngineSettings {
  readonly connection: RedisOptions;
  readonly queueName: string;
  readonly prefix: string | undefined;
  readonly linesPerSecond: number | undefined;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly worker: boolean;
}

class BullmqEngine implements BatchEngine {
  readonly name = 'bullmq';
  private readonly outage = new OutageLog('batches wait');
  private readonly queue: Queue<BatchJob>;
  private worker: Worker<BatchJob> | undefined;
  /** A closure, because it holds the password of Redis. */
  private readonly settings: () => EngineSettings;

  constructor(settings: EngineSettings) {
    this.settings = () => settings;
    const { queueName, connection, prefix } = settings;
    this.queue = new Queue<BatchJob>(queueName, {
      connection: producerConnection(connection),
      ...(prefix === undefined ? {} : { prefix }),
      skipVersionCheck: true,
    });
    this.queue.on('error', (failure) => {
      this.outage.failed(failure);
    });
  }

  start(run: (job: BatchJob) => Promise<void>): void {
    const { queueName, connection, prefix, linesPerSecond, concurrency, lockMs, worker } = this.settings();
    if (!worker) return;
    this.worker = new Worker<BatchJob>(queueName, ({ data }: Job<BatchJob>) => run(data), {
      connection: workerConnection(connection),
      ...(prefix === undefined ? {} : { prefix }),
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // A chunk that was begun is begun again by another process, as often as it takes: the journal keeps its payments single.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      settings: { backoffStrategy: (attempts) => backOffMs(attempts, BACK_OFF) },
      ...(linesPerSecond !== undefined && {
        limiter: { max: 1, duration: Math.ceil((CHUNK_LINES / linesPerSecond) * 1_000) },
      }),
    });
    this.worker.on('error', (failure) => {
      this.outage.failed(failure);
    });
  }

  async add(jobs: readonly BatchJob[], delayMs = 0): Promise<void> {
    const added = jobs.map((data) => ({
      name: data.kind,
      data,
      opts: {
        jobId: jobId(data),
        delay: delayMs,
        attempts: Number.MAX_SAFE_INTEGER,
        backoff: { type: 'custom' },
        removeOnComplete: true,
      },
    }));
    try {
      await this.queue.waitUntilReady();
      await this.queue.addBulk(added);
    } catch (failure) {
      throw new PaymentsStorageError(
        `The queue of batches did not take the work: ${failureLabel(failure)}.`,
        {
          hint: 'Check Redis, then do it again: what was taken before is kept once.',
        },
      );
    }
  }

  async close(): Promise<void> {
    const { worker, queue } = this;
    if (worker) {
      // BullMQ 5 may start another pause between two checks for stalled jobs after its close, which keeps the process running.
      worker.opts.stalledInterval = 1;
      await worker.close().catch(() => undefined);
      ignoreLateErrors(worker);
    }
    await withDeadline(
      queue.close().catch(() => undefined),
      performance.now() + CLOSES_WITHIN_MS,
    );
    ignoreLateErrors(queue);
  }

  /** Hides the connection. */
  [inspect.custom](): string {
    return `BullmqEngine { ${this.settings().queueName} }`;
  }
}
