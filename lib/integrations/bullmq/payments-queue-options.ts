import { type ConnectionOptions } from 'bullmq';

/**
 * Options of `PaymentsQueueModule`.
 *
 * @publicApi
 */
export interface PaymentsQueueOptions {
  /**
   * Connection to Redis: ioredis options, or an ioredis client whose options the package copies. The package
   * opens its own connections and closes only those; it does not touch a given client. The package decides
   * how its connections reconnect, repeat commands and queue them while offline. It does not support Redis
   * Cluster.
   * @default the connection of `BullModule.forRoot`
   */
  readonly connection?: ConnectionOptions;
  /**
   * Start of every key in Redis. Give each merchant that shares the Redis another prefix: workers take every
   * job that they find.
   * @default the prefix of `BullModule.forRoot`, or `'bull'`
   */
  readonly prefix?: string;
  /** Accounts whose webhooks go through the queue. @default every account with a `webhooks` option */
  readonly accounts?: readonly string[];
  /** Options of this process's worker; false: no worker here, jobs wait for other processes. */
  readonly worker?: PaymentsQueueWorkerOptions | false;
  /** Number and pace of the runs after a failure. */
  readonly retry?: PaymentsQueueRetryOptions;
  /**
   * How long Redis keeps a finished job for inspection, in milliseconds; 0: not at all. Its payload contains
   * names and phone numbers. Workers remove it after this time, usually before twice of it has passed. Write the same
   * time in every process: the shortest of the workers counts. The inbox still recognizes a later delivery. Finally failed
   * jobs always stay.
   * @default 3_600_000
   */
  readonly keepFinishedMs?: number;
  /**
   * How long the queue waits for running handlers when the application stops, in milliseconds. The
   * application may wait for another `handlerTimeoutMs`.
   * @default 30_000
   */
  readonly shutdownTimeoutMs?: number;
}

/**
 * Options of the worker in one process.
 *
 * @publicApi
 */
export interface PaymentsQueueWorkerOptions {
  /** Number of webhooks to handle at the same time. @default 5 */
  readonly concurrency?: number;
  /**
   * Time after which another worker takes the job of a dead worker, in milliseconds. A living worker renews
   * its lock, so handlers may run longer than this. Before the handlers run again, the inbox's `leaseMs` must
   * run out as well.
   * @default 30_000
   */
  readonly lockMs?: number;
}

/**
 * Waits before a failed job runs again: `baseDelayMs`, then twice as long each time, up to `maxDelayMs`. Each
 * wait is shortened at random by up to a half. With the defaults the last attempt is about three quarters of
 * an hour after the first.
 *
 * @publicApi
 */
export interface PaymentsQueueRetryOptions {
  /**
   * Runs of the handlers before the job finally fails. Runs that end with the death of their worker are
   * counted apart, up to the same number.
   * @default 20
   */
  readonly maxAttempts?: number;
  /** First wait in milliseconds. @default 1_000 */
  readonly baseDelayMs?: number;
  /** Longest wait in milliseconds. @default 300_000 */
  readonly maxDelayMs?: number;
}

/**
 * For `PaymentsQueueModule.forRootAsync({ useClass | useExisting })`.
 *
 * @publicApi
 */
export interface PaymentsQueueOptionsFactory {
  /** Returns the options. The package calls it once, at boot. */
  createPaymentsQueueOptions(): PaymentsQueueOptions | Promise<PaymentsQueueOptions>;
}
