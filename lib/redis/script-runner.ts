import { PaymentsStorageError } from '../errors/payments-storage.error.js';
import { warnOfEviction } from './eviction-check.js';
import { type LuaScript } from './lua-script.js';
import { type RedisClient } from './redis-client.js';
import { isUnknownScript, redisFailure } from './redis-failure.js';

/** States of a client that has lost its connection: a command would wait, and might run long after it was given up. */
const LOST: readonly string[] = ['reconnecting', 'close'];

/** Runs scripts, each in one round trip. Rejects with a `PaymentsStorageError` that repeats nothing of what was sent. */
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
