import {
  type DailyCapStore,
  type ForgettablePayments,
  type JournalInsertion,
  type JournalKey,
  type JournalPage,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
  type TombstoneEnd,
} from '../journal-store.js';
import { type JournalState, PAYMENT_FAMILIES } from '../../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { purgeTargets } from '../purge-targets.js';
import {
  END_TOMBSTONE,
  GET,
  INSERT,
  LIST,
  PURGE,
  PURGE_TOMBSTONES,
  REMOVE,
  REPLACE,
  TOMBSTONE,
} from './journal-scripts.js';
import {
  keyOf,
  readInsertion,
  readRow,
  readTombstone,
  replaceArguments,
  scriptArguments,
  storedIn,
} from './journal-rows.js';
import { type FormatCheck } from './format-check.js';
import { type RedisAccounts } from './redis-accounts.js';
import { type LuaScript } from './lua-script.js';
import { PURGE_BATCH } from './purge-in-batches.js';
import { RedisDailyCaps } from './redis-daily-caps.js';
import { referenceField, type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/** The journal of all processes that share a Redis. */
export class RedisJournal implements JournalStore {
  readonly dailyCaps: DailyCapStore;

  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly format: FormatCheck,
    private readonly known: Pick<RedisAccounts, 'page'>,
  ) {
    this.dailyCaps = new RedisDailyCaps(scripts, keys, format);
  }

  async insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    return readInsertion(await this.run(INSERT, record, scriptArguments(record, leaseMs)), record);
  }

  async get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    return storedIn(await this.run(GET, key, [referenceField(key.reference)]), key);
  }

  async tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    const found = await this.run(TOMBSTONE, key, [referenceField(key.reference)]);
    return found === null ? undefined : readTombstone(found as string);
  }

  async endTombstone(key: JournalKey, { end, settledBy }: TombstoneEnd): Promise<void> {
    await this.run(END_TOMBSTONE, key, [referenceField(key.reference), end, settledBy]);
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> {
    return storedIn(await this.run(REPLACE, record, replaceArguments(version, record, leaseMs)), record);
  }

  async remove(key: JournalKey, version: number): Promise<boolean> {
    const removed = await this.run(REMOVE, key, [referenceField(key.reference), String(version)]);
    return Number(removed) === 1;
  }

  async list(
    scope: JournalScope,
    except: readonly JournalState[],
    { after = '0', from, limit }: { readonly after?: string; readonly from?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const args = [after, String(limit + 1), from === undefined ? '' : String(from), ...except];
    const reply = await this.run(LIST, scope, args);
    const [now, ...found] = reply as readonly string[];
    const entries: StoredJournalRecord[] = [];
    let next = after;
    for (let at = 0; at < found.length; at += 3) {
      if (entries.length === limit) return { entries, next };
      const [field = '', sequence = '', row = ''] = found.slice(at, at + 3);
      const key = { ...scope, reference: JSON.parse(field) as string };
      entries.push(readRow(row, Number(now), keyOf(key)));
      next = sequence;
    }
    return { entries };
  }

  async purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): Promise<number> {
    if (what === 'tombstones') return this.purgeTombstones(scope, olderThanMs);
    let all = 0;
    for (const { family, state } of purgeTargets(what)) {
      for (let after = '0'; after !== '';) {
        const args = [state, String(olderThanMs), after, String(PURGE_BATCH)];
        const reply = await this.run(PURGE, { ...scope, family }, args);
        const [forgotten, next = ''] = reply as readonly string[];
        all += Number(forgotten);
        after = next;
      }
    }
    return all;
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return this.known.page(page);
  }

  private async purgeTombstones(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    olderThanMs: number,
  ): Promise<number> {
    let all = 0;
    for (const family of PAYMENT_FAMILIES) {
      let cursor = '0';
      do {
        const args = [String(olderThanMs), cursor, String(PURGE_BATCH)];
        const reply = await this.run(PURGE_TOMBSTONES, { ...scope, family }, args);
        const [purged, next = '0'] = reply as readonly string[];
        all += Number(purged);
        cursor = next;
      } while (cursor !== '0');
    }
    return all;
  }

  private async run(script: LuaScript, scope: JournalScope, args: readonly string[]): Promise<unknown> {
    await this.format.of(scope);
    return this.scripts.run(script, this.keys.journal(scope), args);
  }
}
