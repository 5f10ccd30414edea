import { type BackendFactory, type Job, Queue, type RedisOptions, Worker, type WorkerOptions } from 'bullmq';
import { inspect } from 'node:util';
import { type BatchEngine, type BatchJob, jobId } from '../../batches/engine/batch-engine.js';
import { CHUNK_LINES } from '../../batches/loading/chunk-lines.js';
import { isRecord } from '../../common/json-object.js';
import { SafeLogger } from '../../common/safe-logger.js';
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
  /**
   * Address of Redis: `{ host, port }`, `{ url }` or an ioredis client, whose options are taken. With `backend`, what that
   * backend takes, for example the address of PostgreSQL or a `Pool` of `pg`.
   */
  readonly connection: object | string;
  /**
   * Where jobs are instead of in Redis: `createPostgresBackend` of `bullmq` 6.7 or newer.
   * @default BullMQ's own default, which is Redis
   */
  readonly backend?: (...given: never[]) => object;
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
const BACK_OFF = { baseDelayMs: 1_000, maxDelayMs: 60_000 };
const CLOSES_WITHIN_MS = 2_000;
/** The largest integer of a column in PostgreSQL. */
const FOR_EVER = 2 ** 31 - 1;

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
  const { linesPerSecond, prefix, backend, queueName = 'payments-batches', worker = true } = options;
  if (linesPerSecond !== undefined && !(linesPerSecond > 0 && linesPerSecond <= 100_000)) {
    throw error('linesPerSecond', 'must be a number greater than 0: write for example 10.');
  }
  if (backend !== undefined && typeof backend !== 'function') {
    throw error(
      'backend',
      'is no backend of BullMQ: write createPostgresBackend, or leave it out for Redis.',
    );
  }
  return new BullmqEngine({
    jobs: backend ? otherJobs(backend, options.connection) : redisJobs(options.connection),
    queueName,
    prefix,
    linesPerSecond,
    worker,
    ...readOptions(NUMBERS, { ...options }, '', error),
  });
}

/** Where BullMQ keeps jobs. */
interface JobStorage {
  /** For messages. */
  readonly name: string;
  readonly producer: RedisOptions;
  readonly worker: RedisOptions;
  readonly backend: BackendFactory | undefined;
}

function redisJobs(given: unknown): JobStorage {
  const connection = connectionOptions(given, error);
  return {
    name: 'Redis',
    producer: producerConnection(connection),
    worker: workerConnection(connection),
    backend: undefined,
  };
}

/** The connection is what the backend takes, and BullMQ 5 has no type for it. */
function otherJobs(backend: object, given: unknown): JobStorage {
  if (!isRecord(given) && typeof given !== 'string') {
    throw error('connection', 'is missing: write what the backend takes, for example a Pool of pg.');
  }
  const connection = given as RedisOptions;
  return {
    name: 'The database of the jobs',
    producer: connection,
    worker: connection,
    backend: backend as BackendFactory,
  };
}

interface EngineSettings {
  readonly jobs: JobStorage;
  readonly queueName: string;
  readonly prefix: string | undefined;
  readonly linesPerSecond: number | undefined;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly worker: boolean;
}

class BullmqEngine implements BatchEngine {
  readonly name = 'bullmq';
  private readonly logger = new SafeLogger('PayoutBatches');
  private isClosing = false;
  private readonly outage: OutageLog;
  private readonly queue: Queue<BatchJob>;
  private worker: Worker<BatchJob> | undefined;
  /** A closure, because it holds the password of Redis. */
  private readonly settings: () => EngineSettings;

  constructor(settings: EngineSettings) {
    this.settings = () => settings;
    const { queueName, jobs, prefix } = settings;
    this.outage = new OutageLog('batches wait', jobs.name);
    const options = {
      connection: jobs.producer,
      ...(prefix === undefined ? {} : { prefix }),
      skipVersionCheck: true,
    };
    this.queue = new Queue<BatchJob>(queueName, options, jobs.backend as undefined);
    this.queue.on('error', (failure) => {
      this.outage.failed(failure);
    });
  }

  start(run: (job: BatchJob) => Promise<void>): void {
    const { queueName, jobs, prefix, linesPerSecond, concurrency, lockMs, worker } = this.settings();
    if (!worker) return;
    const options: WorkerOptions = {
      connection: jobs.worker,
      ...(prefix === undefined ? {} : { prefix }),
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // A chunk that was begun is begun again by another process, as often as it takes: the journal keeps its payments single.
      maxStalledCount: FOR_EVER,
      settings: { backoffStrategy: (attempts) => backOffMs(attempts, BACK_OFF) },
      ...(linesPerSecond !== undefined && {
        limiter: { max: 1, duration: Math.ceil((CHUNK_LINES / linesPerSecond) * 1_000) },
      }),
    };
    const work = ({ data }: Job<BatchJob>): Promise<void> => run(data);
    this.worker = new Worker<BatchJob>(queueName, work, options, jobs.backend as undefined);
    this.worker.on('error', (failure) => {
      this.outage.failed(failure);
    });
    // Nobody else sees it: BullMQ only keeps the job, and runs it again.
    this.worker.on('failed', (job, failure) => {
      if (this.isClosing || !job) return;
      this.logger.warn(`A chunk of the batch "${job.data.batch}" is tried again: ${failureLabel(failure)}`);
    });
  }

  async add(jobs: readonly BatchJob[], delayMs = 0): Promise<void> {
    const added = jobs.map((data) => ({
      name: data.kind,
      data,
      opts: {
        jobId: jobId(data),
        delay: delayMs,
        attempts: FOR_EVER,
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
          hint: `Check ${this.settings().jobs.name}, then do it again: what was taken before is kept once.`,
        },
      );
    }
  }

  async close(): Promise<void> {
    const { worker, queue } = this;
    this.isClosing = true;
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
