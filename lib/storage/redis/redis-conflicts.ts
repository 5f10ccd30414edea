import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { type InboxScope, type SetAsideKind } from '../../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { positionAfter, positionOf } from '../conflict-cursor.js';
import { type FormatCheck } from './format-check.js';
import { type RedisAccounts } from './redis-accounts.js';
import { PURGE_BATCH } from './purge-in-batches.js';
import { type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';
import { luaScript, type LuaScript } from './lua-script.js';

/** The conflicts of all processes that share a Redis. */
export class RedisConflicts implements ConflictStore {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly format: FormatCheck,
    private readonly known: Pick<RedisAccounts, 'page'>,
  ) {}

  async setAside(delivery: SetAsideDelivery): Promise<void> {
    await this.run(SET_ASIDE, delivery, [setAsideField(delivery), setAsideText(delivery)]);
  }

  async list(
    scope: InboxScope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    const range = [positionAfter(after), String(limit)];
    const listed = await this.run(LIST_SET_ASIDE, scope, range);
    return (listed as readonly string[]).map((text) => setAsideEntry(scope, text));
  }

  async get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    const stored = await this.run(GET_SET_ASIDE, scope, [fieldIn(id)]);
    const entry = stored === null ? undefined : setAsideEntry(scope, stored as string);
    return entry?.id === id ? entry : undefined;
  }

  async replacePayload(entry: InboxConflict, payload: string): Promise<boolean> {
    const { id, seen } = entry;
    const field = fieldIn(id);
    const args = [field, positionOf(id) ?? '', String(seen), setAsideText({ ...entry, payload })];
    return Number(await this.run(REPLACE_SET_ASIDE, entry, args)) === 1;
  }

  async remove(scope: InboxScope, id: string): Promise<void> {
    const entry = [fieldIn(id), positionOf(id) ?? ''];
    await this.run(REMOVE_SET_ASIDE, scope, entry);
  }

  async purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number> {
    let all = 0;
    for (let after = '0'; after !== '';) {
      const args = [kind, String(olderThanMs), after, String(PURGE_BATCH)];
      const reply = await this.run(PURGE_SET_ASIDE, scope, args);
      const [forgotten, next = ''] = reply as readonly string[];
      all += Number(forgotten);
      after = next;
    }
    return all;
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return this.known.page(page);
  }

  private async run(script: LuaScript, scope: InboxScope, args: readonly string[]): Promise<unknown> {
    await this.format.of(scope);
    return this.scripts.run(script, this.keys.setAside(scope), args);
  }
}

/** The delivery as stored in JSON. The scope is in the key. */
type StoredDelivery = Omit<SetAsideDelivery, keyof InboxScope>;

/** The field of a delivery among those set aside. */
export function setAsideField({ kind, fingerprint }: Pick<SetAsideDelivery, 'kind' | 'fingerprint'>): string {
  return `${kind}.${fingerprint}`;
}

export function setAsideText({ kind, event, reference, fingerprint, payload }: SetAsideDelivery): string {
  const stored: StoredDelivery = { kind, event, reference, fingerprint, payload };
  return JSON.stringify(stored);
}

/** Parses `<first seen, in µs> <how often> <JSON>`. The id is `<first seen>.<field>`. */
export function setAsideEntry({ account, environment }: InboxScope, text: string): InboxConflict {
  const [, first = '', seen, json = ''] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
  const delivery = JSON.parse(json) as StoredDelivery;
  return {
    account,
    environment,
    ...delivery,
    id: `${first}.${setAsideField(delivery)}`,
    seen: Number(seen),
    firstSeenAt: Math.floor(Number(first) / 1_000),
  };
}

/** The field in an id. */
export function fieldIn(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/*
 * KEYS of every script: set aside, order. An entry is stored as `<first seen, in µs> <how often> <JSON>`. The first
 * number is its unique position in the order.
 */

/** ARGV: field, the delivery as JSON. */
export const SET_ASIDE = luaScript(`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local first, seen = string.match(stored or '', '^(%d+) (%d+) ')
if not first then
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
  first = int(math.max(micros, (last or 0) + 1))
  redis.call('ZADD', KEYS[2], first, ARGV[1])
end
redis.call('HSET', KEYS[1], ARGV[1], first .. ' ' .. int((seen or 0) + 1) .. ' ' .. ARGV[2])
return 1
`);

/** ARGV: the position after which to begin, the maximum number. Returns the stored entries. */
export const LIST_SET_ASIDE = luaScript(`
local fields = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])
if #fields == 0 then return {} end
return redis.call('HMGET', KEYS[1], unpack(fields))
`);

/** ARGV: field. Returns the stored entry, or nil. */
export const GET_SET_ASIDE = luaScript(`return redis.call('HGET', KEYS[1], ARGV[1])`);

/** ARGV: field, position, how often, the delivery as JSON. Replaces only the entry at that position, as it was read. */
export const REPLACE_SET_ASIDE = luaScript(`
local first, seen = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+) ')
if first ~= ARGV[2] or seen ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], first .. ' ' .. seen .. ' ' .. ARGV[4])
return 1
`);

/**
 * ARGV: field, position. Removes only the entry at that position: the same event set aside later is another
 * entry.
 */
export const REMOVE_SET_ASIDE = luaScript(`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored or string.match(stored, '^(%d+) ') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`);

/**
 * ARGV: kind, age in ms, the position after which to begin, how many to read. Returns the number of deleted
 * entries and the next position; no position at the end.
 */
export const PURGE_SET_ASIDE = luaScript(`
local latest = int(micros - ARGV[2] * 1000)
local seen = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], '(' .. latest, 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local old, last = {}, ''
for i = 1, #seen, 2 do
  if string.sub(seen[i], 1, #ARGV[1] + 1) == ARGV[1] .. '.' then table.insert(old, seen[i]) end
  last = int(seen[i + 1])
end
if #old > 0 then
  redis.call('HDEL', KEYS[1], unpack(old))
  redis.call('ZREM', KEYS[2], unpack(old))
end
return { int(#old), #seen == 2 * ARGV[4] and last or '' }
`);
