import { type ConnectionOptions } from 'bullmq';

/**
 * Options of `PaymentsQueueModule`: where the jobs are stored, and how they are worked on.
 *
 * @publicApi
 */
export interface PaymentsQueueOptions {
  /**
   * How Redis is reached: ioredis options, or an ioredis client whose options are taken over. The package
   * opens connections of its own and closes only those; a client that is passed in stays as it is. How they
   * reconnect, repeat commands and queue them while offline is decided by the package. Redis Cluster is not
   * supported.
   * @default the connection of `BullModule.forRoot`
   */
  readonly connection?: ConnectionOptions;
  /**
   * Begin of every key in Redis. Another one for each merchant that shares the Redis: workers take what they find.
   * @default the prefix of `BullModule.forRoot`, or `'bull'`
   */
  readonly prefix?: string;
  /** Accounts whose webhooks go through the queue. @default every account with a `webhooks` option */
  readonly accounts?: readonly string[];
  /** How jobs are worked on in this process; false: not here, only stored for workers in other processes. */
  readonly worker?: PaymentsQueueWorkerOptions | false;
  /** How often, and how long after a failure, the handlers run again. */
  readonly retry?: PaymentsQueueRetryOptions;
  /**
   * How long, in milliseconds, a finished job stays to be looked at; 0: not at all. Its payload holds names
   * and phone numbers. A delivery that comes again later is still known to the inbox. Jobs that finally
   * failed always stay.
   * @default 3_600_000
   */
  readonly keepFinishedMs?: number;
  /**
   * How long, in milliseconds, the queue waits for handlers that run when the application stops. The
   * application may wait for them for another `handlerTimeoutMs`.
   * @default 30_000
   */
  readonly shutdownTimeoutMs?: number;
}

/**
 * How jobs are worked on in one process.
 *
 * @publicApi
 */
export interface PaymentsQueueWorkerOptions {
  /** How many webhooks are handled at the same time. @default 5 */
  readonly concurrency?: number;
  /**
   * After how long, in milliseconds, a job of a worker that died goes to another. A living worker renews its
   * hold on a job, so handlers may run longer than this. The inbox's `leaseMs` must run out as well before
   * the handlers begin again.
   * @default 30_000
   */
  readonly lockMs?: number;
}

/**
 * When a failed job runs again: after `baseDelayMs`, then twice as long each time, but never longer than
 * `maxDelayMs`; each wait is shortened at random by up to a half. With the defaults the last attempt is about
 * three quarters of an hour after the first.
 *
 * @publicApi
 */
export interface PaymentsQueueRetryOptions {
  /**
   * Runs of the handlers before the job finally failed. A worker that dies counts as well, up to this number.
   * @default 20
   */
  readonly maxAttempts?: number;
  /** @default 1_000 */
  readonly baseDelayMs?: number;
  /** @default 300_000 */
  readonly maxDelayMs?: number;
}

/**
 * For `PaymentsQueueModule.forRootAsync({ useClass | useExisting })`.
 *
 * @publicApi
 */
export interface PaymentsQueueOptionsFactory {
  /** The options; asked for once, at boot. */
  createPaymentsQueueOptions(): PaymentsQueueOptions | Promise<PaymentsQueueOptions>;
}
