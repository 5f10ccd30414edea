import {
  type ForgettablePayments,
  type JournalKey,
  type JournalPage,
  type JournalRecord,
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { placesOf } from '../storage/forgettable.js';
import { readRow } from './journal-row.js';
import { GET, INSERT, LIST, PURGE, REMOVE, REPLACE } from './journal-scripts.js';
import { type LuaScript } from './lua-script.js';
import { PURGE_BATCH } from './purge-in-batches.js';
import { referenceField, type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/** The journal of all processes that share a Redis. */
export class RedisJournal implements JournalStore {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
  ) {}

  async insert(
    record: JournalRecord,
    leaseMs: number,
  ): Promise<{ readonly inserted: boolean; readonly stored: StoredJournalRecord }> {
    const reply = await this.run(INSERT, record, written(record, leaseMs));
    const [inserted, now, row = ''] = reply as readonly string[];
    return { inserted: inserted === '1', stored: readRow(row, Number(now)).stored };
  }

  async get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    return storedIn(await this.run(GET, key, [referenceField(key.reference)]));
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> {
    return storedIn(await this.run(REPLACE, record, [...written(record, leaseMs), String(version)]));
  }

  async remove(key: JournalKey, version: number): Promise<boolean> {
    const removed = await this.run(REMOVE, key, [referenceField(key.reference), String(version)]);
    return Number(removed) === 1;
  }

  async list(
    scope: JournalScope,
    state: JournalState,
    { after = '0', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage> {
    const reply = await this.run(LIST, scope, [state, after, String(limit + 1)]);
    const [now, ...found] = reply as readonly string[];
    const rows = found.slice(0, limit).map((row) => readRow(row, Number(now)));
    const last = rows.at(-1);
    return {
      entries: rows.map(({ stored }) => stored),
      ...(found.length > limit && last && { next: last.sequence }),
    };
  }

  async purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments,
    olderThanMs: number,
  ): Promise<number> {
    let all = 0;
    for (const { family, state } of placesOf(what)) {
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

  private run(script: LuaScript, scope: JournalScope, args: readonly string[]): Promise<unknown> {
    return this.scripts.run(script, this.keys.journal(scope), args);
  }
}

/** What a script is told of a record; leases may come with fractions of a millisecond. */
function written(record: JournalRecord, leaseMs: number): readonly string[] {
  const { reference, attempt, state } = record;
  const lease = String(Math.ceil(leaseMs));
  return [referenceField(reference), String(attempt), state, lease, JSON.stringify(record)];
}

function storedIn(reply: unknown): StoredJournalRecord | undefined {
  if (reply === null) return undefined;
  const [now, row = ''] = reply as readonly string[];
  return readRow(row, Number(now)).stored;
}
