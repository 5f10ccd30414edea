import { performance } from 'node:perf_hooks';
import { PaymentsStorageError, failureLabel } from '../../errors/payments-errors.js';
import { type LuaScript } from './lua-script.js';
import { isReadOnly, type RedisClient } from './redis-client.js';
import { SafeLogger } from '../../common/safe-logger.js';

/**
 * States of a client without connection: a command would wait, and might run long after its caller gave up.
 */
const LOST: readonly string[] = ['reconnecting', 'close'];

/** Runs scripts, each in one round trip. Rejects with a `PaymentsStorageError` that repeats no sent data. */
export class ScriptRunner {
  private checked = false;
  /** A closure, because the client holds the password and unsent data. */
  private readonly client: () => RedisClient;
  private lost = -Infinity;

  constructor(client: RedisClient) {
    this.client = () => client;
  }

  /** When a call last found no connection, by `performance.now()`: Redis may since have lost what it had answered. */
  get lostAt(): number {
    return this.lost;
  }

  /** Says that the next call opens a new connection, maybe to a Redis that holds something else by now. */
  reconnect(): void {
    this.lost = performance.now();
  }

  async run(script: LuaScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (LOST.includes(this.client().status)) {
      this.lost = performance.now();
      throw new PaymentsStorageError('Redis cannot be reached: the client is reconnecting.');
    }
    try {
      const reply = await this.evaluate(script, keys.length, [...keys, ...args]);
      this.checkOnce();
      return reply;
    } catch (error) {
      if (refusalOf(error) === undefined || isReadOnly(error)) this.lost = performance.now();
      throw redisFailure(error);
    }
  }

  /** A restarted server, or another one of a cluster, may not know the script yet. */
  private async evaluate(
    { sha1, source }: LuaScript,
    numberOfKeys: number,
    values: readonly string[],
  ): Promise<unknown> {
    try {
      return await this.client().evalsha(sha1, numberOfKeys, ...values);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.client().eval(source, numberOfKeys, ...values);
    }
  }

  /** Runs after the first answer of Redis: before, it could fail for other reasons. */
  private checkOnce(): void {
    if (this.checked) return;
    this.checked = true;
    void warnOfEviction(this.client());
  }
}

/**
 * Warns if Redis may evict the package's data. Does nothing if the server refuses the query, as hosted ones
 * may.
 */
export async function warnOfEviction(client: Pick<RedisClient, 'info'>): Promise<void> {
  const policy = await policyOf(client).catch(() => '');
  if (!mayEvict(policy)) return;
  new SafeLogger('PaymentsStorage').warn(
    `Redis may drop payments and handled webhooks when its memory is full (maxmemory-policy ${policy}): a payment could be ` +
      'sent twice and a handler run twice. Set maxmemory-policy to noeviction, or use a Redis of its own.',
  );
}

async function policyOf(client: Pick<RedisClient, 'info'>): Promise<string> {
  return /^maxmemory_policy:([\w-]+)/m.exec(await client.info('memory'))?.[1] ?? '';
}

/** The `volatile-…` policies drop only keys with an expiry, and the package sets none. */
function mayEvict(policy: string): boolean {
  return policy.startsWith('allkeys-');
}

/** The code at the start of a server's error: `OOM`, `READONLY`, `NOAUTH`. */
const REFUSAL = /^[A-Z]{2,20}(?= )/;

/**
 * Converts an error of the client. Drops its message and its `command`, which may contain the arguments with
 * names and phone numbers.
 */
export function redisFailure(error: unknown): PaymentsStorageError {
  return new PaymentsStorageError(`Redis did not carry out an operation: ${reasonOf(error)}.`);
}

/** Whether the error says that the server does not know the script. */
export function isUnknownScript(error: unknown): boolean {
  return refusalOf(error) === 'NOSCRIPT';
}

function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  return refusal === undefined ? failureLabel(error) : `it answered ${refusal}`;
}

function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return REFUSAL.exec(error.message)?.[0];
}
