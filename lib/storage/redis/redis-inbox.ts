import { randomUUID } from 'node:crypto';
import { pollRelease } from '../../common/timing.js';
import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { CLAIM, FAIL, FINISH, LEASE_LEFT, MARK, PURGE_ENTRIES, WITHDRAW } from './inbox-scripts.js';
import { type FormatCheck } from './format-check.js';
import { type RedisAccounts } from './redis-accounts.js';
import { type LuaScript } from './lua-script.js';
import { purgeInBatches } from './purge-in-batches.js';
import { entryField, type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/** The inbox of all processes that share a Redis. */
export class RedisInbox implements InboxStore {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly format: FormatCheck,
    private readonly known: Pick<RedisAccounts, 'page'>,
  ) {}

  async claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    const { key, event, fingerprint, providerReference = '', replaces, mustExist } = delivery;
    const token = randomUUID();
    const replaced = replaces === 'any' ? ['any'] : ['listed', ...replaces];
    const begins = mustExist ? 'must-exist' : 'may-begin';
    const lease = String(leaseMs);
    const args = [token, event, fingerprint, lease, providerReference, begins, ...replaced];
    const reply = await this.run(CLAIM, key, args);
    const [result, detail = '', ...finished] = reply as readonly string[];
    if (result === 'claimed') return { result, claim: this.claimOf(key, token, Number(detail), finished) };
    if (result === 'busy') return { result, leaseLeftMs: Number(detail) };
    if (result === 'conflict') return { result, existingEvent: detail };
    return { result: result === 'missing' ? 'missing' : 'done' };
  }

  waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    return pollRelease(async () => Number(await this.run(LEASE_LEFT, key, [])), timeoutMs);
  }

  async purge(scope: InboxScope, olderThanMs: number): Promise<number> {
    await this.format.of(scope);
    return purgeInBatches(this.scripts, PURGE_ENTRIES, this.keys.inbox(scope), olderThanMs);
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return this.known.page(page);
  }

  private claimOf(key: InboxKey, token: string, attempt: number, finished: readonly string[]): InboxClaim {
    return {
      attempt,
      finished,
      mark: async (handler) => Number(await this.run(MARK, key, [token, handler])) === 1,
      finish: async () => Number(await this.run(FINISH, key, [token])) === 1,
      fail: async () => {
        await this.run(FAIL, key, [token]);
      },
      withdraw: async () => {
        await this.run(WITHDRAW, key, [token]);
      },
    };
  }

  private async run(script: LuaScript, key: InboxKey, args: readonly string[]): Promise<unknown> {
    await this.format.of(key);
    return this.scripts.run(script, this.keys.inbox(key), [entryField(key), ...args]);
  }
}
