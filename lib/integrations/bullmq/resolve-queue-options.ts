import { type RedisOptions } from 'bullmq';
import { count, milliseconds, readOptions, type Resolved } from '../../config/option.js';
import { isRecord } from '../../common/json-object.js';
import { type OptionError, unknownOptions } from '../../errors/option-errors.js';
import { readAll } from '../../errors/wrong-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type PaymentsQueueRetryOptions, type PaymentsQueueWorkerOptions } from './payments-queue-options.js';
import { connectionOptions } from './queue-connection.js';

/** The options of the queue after validation, with defaults. */
export interface ResolvedQueueOptions {
  readonly queueName: string;
  readonly connection: RedisOptions;
  /** Undefined: BullMQ's default. */
  readonly prefix: string | undefined;
  /** Undefined: every account that receives webhooks. */
  readonly accounts: readonly string[] | undefined;
  /** Undefined: no worker in this process. */
  readonly worker: ResolvedWorkerOptions | undefined;
  readonly retry: ResolvedQueueRetry;
  readonly keepFinishedMs: number;
  readonly shutdownTimeoutMs: number;
}

export type ResolvedWorkerOptions = Resolved<typeof WORKER>;
export type ResolvedQueueRetry = Resolved<typeof RETRY>;

const TIMES = {
  keepFinishedMs: milliseconds({ min: 0, default: 3_600_000 }),
  shutdownTimeoutMs: milliseconds({ min: 0, default: 30_000 }),
};
const WORKER = {
  concurrency: count({ min: 1, max: 10_000, default: 5 }),
  lockMs: milliseconds({ min: 100, default: 30_000 }),
} satisfies Record<keyof PaymentsQueueWorkerOptions, unknown>;
const RETRY = {
  maxAttempts: count({ min: 1, default: 20 }),
  baseDelayMs: milliseconds({ min: 1, default: 1_000 }),
  maxDelayMs: milliseconds({ min: 1, default: 300_000 }),
} satisfies Record<keyof PaymentsQueueRetryOptions, unknown>;
const FIELDS = ['connection', 'prefix', 'accounts', 'worker', 'retry', ...Object.keys(TIMES)];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`PaymentsQueueModule option \`${option}\` ${problem}`);

/**
 * Checks the options.
 *
 * @param shared The options of `BullModule.forRoot`, if the application has it.
 * @throws PaymentsConfigError
 */
export function resolveQueueOptions(raw: unknown, queueName: unknown, shared: unknown): ResolvedQueueOptions {
  const options = recordOf(raw ?? {}, '', FIELDS);
  const common = isRecord(shared) ? shared : {};
  const { times, ...others } = readAll({
    queueName: () => checkedName(queueName),
    connection: () => connectionOptions(options['connection'] ?? common['connection'], error),
    prefix: () => checkedPrefix(options['prefix'] ?? common['prefix']),
    accounts: () => checkedAccounts(options['accounts']),
    worker: () => checkedWorker(options['worker']),
    retry: () => checkedRetry(options['retry']),
    times: () =>
      readOptions(TIMES, options, '', error, () => unknownOptions(Object.keys(options), FIELDS, '', error)),
  });
  const resolved = { ...others, ...times };
  // Not enumerable, to keep the password of Redis out of logs and serialized objects.
  return Object.defineProperty(resolved, 'connection', { enumerable: false });
}

function recordOf(value: unknown, option: string, known: readonly string[]): Record<string, unknown> {
  if (!isRecord(value)) throw error(option || 'options', `must be an object with ${known.join(', ')}.`);
  return value;
}

function checkedName(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && !value.includes(':')) return value;
  throw error(
    'queueName',
    "must be a name without a colon: write for example 'payments-webhooks', the default.",
  );
}

function checkedPrefix(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value;
  throw error('prefix', "must be a text that is not blank: write for example 'bull', or leave it out.");
}

function checkedAccounts(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isName = (name: unknown): name is string => typeof name === 'string' && name.trim() !== '';
  if (Array.isArray(value) && value.length > 0 && value.every(isName)) return [...new Set(value)];
  throw error(
    'accounts',
    "must be a list of account names: write for example ['default'], or leave it out for all.",
  );
}

function checkedWorker(value: unknown): ResolvedWorkerOptions | undefined {
  if (value === false) return undefined;
  if (value === true) throw error('worker', 'is true: leave it out, or write { concurrency: 5 }.');
  const names = Object.keys(WORKER);
  const worker = recordOf(value ?? {}, 'worker', names);
  return readOptions(WORKER, worker, 'worker', error, () =>
    unknownOptions(Object.keys(worker), names, 'worker', error),
  );
}

function checkedRetry(value: unknown): ResolvedQueueRetry {
  const names = Object.keys(RETRY);
  const retry = recordOf(value ?? {}, 'retry', names);
  return readOptions(RETRY, retry, 'retry', error, (read) => [
    ...unknownOptions(Object.keys(retry), names, 'retry', error),
    ...swappedDelays(read),
  ]);
}

function swappedDelays({
  baseDelayMs,
  maxDelayMs,
}: Partial<ResolvedQueueRetry>): readonly PaymentsConfigError[] {
  if (baseDelayMs === undefined || maxDelayMs === undefined || maxDelayMs >= baseDelayMs) return [];
  const problem = 'is shorter than `retry.baseDelayMs`: write the longest wait between two attempts.';
  return [error('retry.maxDelayMs', problem)];
}
