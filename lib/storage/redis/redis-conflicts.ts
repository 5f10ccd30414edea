import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { jsonObject } from '../../common/json-object.js';
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
    const listed = (await this.run(LIST_SET_ASIDE, scope, range)) as readonly string[];
    const entries: InboxConflict[] = [];
    for (let at = 0; at < listed.length; at += 3) {
      const [field = '', position = '', text = ''] = listed.slice(at, at + 3);
      entries.push(setAsideEntry(scope, field, position, text));
    }
    return entries;
  }

  async get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    const field = fieldIn(id);
    const stored = await this.run(GET_SET_ASIDE, scope, [field]);
    const [position = '', text = ''] = stored as readonly string[];
    const entry = setAsideEntry(scope, field, position, text);
    return positionOf(id) !== undefined && entry.id === id ? entry : undefined;
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
function setAsideField({ kind, fingerprint }: Pick<SetAsideDelivery, 'kind' | 'fingerprint'>): string {
  return `${kind}.${fingerprint}`;
}

function setAsideText({ kind, event, reference, fingerprint, payload }: SetAsideDelivery): string {
  const stored: StoredDelivery = { kind, event, reference, fingerprint, payload };
  return JSON.stringify(stored);
}

/**
 * Parses `<first seen, in µs> <how often> <JSON>`. The id is `<first seen>.<field>`. An entry that cannot be read does not
 * stop a list: its field and its position in the order are what is certain.
 */
function setAsideEntry(
  { account, environment }: InboxScope,
  field: string,
  position: string,
  text: string,
): InboxConflict {
  const [, first = position, seen = '0', json = ''] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
  const delivery = jsonObject(json) as StoredDelivery | undefined;
  return {
    account,
    environment,
    ...(delivery ?? lostDelivery(field)),
    id: `${first}.${field}`,
    seen: Number(seen),
    firstSeenAt: Math.floor(Number(first) / 1_000),
  };
}

function lostDelivery(field: string): StoredDelivery & Pick<InboxConflict, 'damaged'> {
  const end = field.indexOf('.');
  return {
    kind: field.slice(0, end) as SetAsideKind,
    fingerprint: field.slice(end + 1),
    event: '',
    reference: '',
    payload: '',
    damaged: 'Redis holds something else in its place',
  };
}

/** The field in an id. */
function fieldIn(id: string): string {
  return id.slice(id.indexOf('.') + 1);
}

/*
 * KEYS of every script: set aside, order. An entry is stored as `<first seen, in µs> <how often> <JSON>`. The first
 * number is its unique position in the order.
 */

/** ARGV: field, the delivery as JSON. */
const SET_ASIDE = luaScript(`
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

/**
 * ARGV: the position after which to begin, the maximum number. Returns field, position and text of each entry; the text is
 * empty if it is lost.
 */
const LIST_SET_ASIDE = luaScript(`
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local reply = {}
for i = 1, #found, 2 do
  table.insert(reply, found[i])
  table.insert(reply, int(found[i + 1]))
  table.insert(reply, redis.call('HGET', KEYS[1], found[i]) or '')
end
return reply
`);

/** ARGV: field. Returns its position and the text of the entry, each empty if it is missing. */
const GET_SET_ASIDE = luaScript(`
local position = redis.call('ZSCORE', KEYS[2], ARGV[1])
return { position and int(position) or '', redis.call('HGET', KEYS[1], ARGV[1]) or '' }
`);

/** ARGV: field, position, how often, the delivery as JSON. Replaces only the entry at that position, as it was read. */
const REPLACE_SET_ASIDE = luaScript(`
local first, seen = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+) ')
if first ~= ARGV[2] or seen ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], first .. ' ' .. seen .. ' ' .. ARGV[4])
return 1
`);

/**
 * ARGV: field, position. Removes only the entry at that position, even if its text is lost: the same event set aside later
 * is another entry.
 */
const REMOVE_SET_ASIDE = luaScript(`
local first = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) %d+ ')
first = first or redis.call('ZSCORE', KEYS[2], ARGV[1])
if not first or int(first) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`);

/**
 * ARGV: kind, age in ms, the position after which to begin, how many to read. Returns the number of deleted
 * entries and the next position; no position at the end.
 */
const PURGE_SET_ASIDE = luaScript(`
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
