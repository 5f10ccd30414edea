import { PaymentsStorageError, failureLabel } from '../../errors/payments-errors.js';
import { type LuaScript } from './lua-script.js';
import { type RedisClient } from './redis-client.js';
import { SafeLogger } from '../../common/safe-logger.js';

/**
 * States of a client that has lost its connection: a command would wait, and might run long after its caller gave up.
 */
const LOST: readonly string[] = ['reconnecting', 'close'];

/**
 * Runs scripts, each in one round trip. Rejects with a `PaymentsStorageError` that repeats nothing of what was sent.
 */
export class ScriptRunner {
  private checked = false;

  constructor(private readonly client: RedisClient) {}

  async run(script: LuaScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (LOST.includes(this.client.status)) {
      throw new PaymentsStorageError('Redis cannot be reached: the client is reconnecting.');
    }
    try {
      const reply = await this.evaluate(script, keys.length, [...keys, ...args]);
      this.checkOnce();
      return reply;
    } catch (error) {
      throw redisFailure(error);
    }
  }

  /** The client holds the password, and what it has not sent yet. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'ScriptRunner {}';
  }

  /** A server that restarted, or another one of a cluster, does not know the script yet. */
  private async evaluate(
    { sha1, source }: LuaScript,
    numberOfKeys: number,
    values: readonly string[],
  ): Promise<unknown> {
    try {
      return await this.client.evalsha(sha1, numberOfKeys, ...values);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.client.eval(source, numberOfKeys, ...values);
    }
  }

  /** Once Redis has answered: before, the question could fail for other reasons. */
  private checkOnce(): void {
    if (this.checked) return;
    this.checked = true;
    void warnOfEviction(this.client);
  }
}

/**
 * Warns where Redis may drop what the package stores. Stays silent where the server does not tell: a hosted one may
 * forbid the question.
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

/** The code that a server's refusal begins with: `OOM`, `READONLY`, `NOAUTH`. */
const REFUSAL = /^[A-Z]{2,20}(?= )/;

/**
 * An error of the client without what it repeats: its message may quote the arguments, and its `command` holds them,
 * names and phone numbers included.
 */
export function redisFailure(error: unknown): PaymentsStorageError {
  return new PaymentsStorageError(`Redis did not carry out an operation: ${reasonOf(error)}.`);
}

/** Whether the server does not know a script by its name. */
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
