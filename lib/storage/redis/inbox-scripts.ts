import { luaScript } from './lua-script.js';

/**
 * KEYS: entries, done. ARGV: field, token, event, fingerprint, lease in ms, provider reference ('' for none),
 * `must-exist` or `may-begin`, `any` or `listed`, then the fingerprints that may be replaced. Decides like
 * `decideClaim`. If the client repeats a claim after it lost the answer, it gets the same claim.
 */
export const CLAIM = luaScript(`
local field, token, event, fingerprint = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local provider = ARGV[6] ~= '' and ARGV[6] or nil
local stored = redis.call('HGET', KEYS[1], field)
if not stored and ARGV[7] == 'must-exist' then return { 'missing' } end
local entry = stored and cjson.decode(stored) or { attempt = 0, finished = {} }
if stored then
  if entry.state == 'running' and entry.lease > now and entry.token ~= token then
    return { 'busy', int(entry.lease - now) }
  end
  if entry.fingerprint == fingerprint and (entry.provider or provider) == (provider or entry.provider) then
    if entry.state == 'done' then
      if provider and not entry.provider then
        entry.provider = provider
        redis.call('HSET', KEYS[1], field, cjson.encode(entry))
      end
      return { 'done' }
    end
  else
    local replaces = ARGV[8] == 'any'
    for i = 9, #ARGV do replaces = replaces or ARGV[i] == entry.fingerprint end
    if not replaces then return { 'conflict', entry.event } end
    entry = { attempt = 0, finished = {} }
  end
end
if entry.token ~= token then entry.attempt = entry.attempt + 1 end
entry.event, entry.fingerprint, entry.state = event, fingerprint, 'running'
entry.provider = provider or entry.provider
entry.token, entry.lease = token, now + ARGV[5]
redis.call('HSET', KEYS[1], field, cjson.encode(entry))
redis.call('ZREM', KEYS[2], field)
return { 'claimed', int(entry.attempt), unpack(entry.finished) }
`);

/** Loads the entry; ends the script with 0 if the claim with this token does not hold it. */
const HELD = `
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local entry = stored and cjson.decode(stored)
if not entry or entry.state ~= 'running' or entry.token ~= ARGV[2] then return 0 end
`;

/** KEYS: entries, done. ARGV: field, token, handler. Returns 1 if it marked the handler. */
export const MARK = luaScript(`${HELD}
table.insert(entry.finished, ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(entry))
return 1
`);

/**
 * KEYS: entries, done. ARGV: field, token. Returns 1 if the claim finished the entry, now or before. Drops
 * the data that only a further run needs.
 */
export const FINISH = luaScript(`
local existing = redis.call('HGET', KEYS[1], ARGV[1])
local ended = existing and cjson.decode(existing)
if ended and ended.state == 'done' and ended.token == ARGV[2] then return 1 end
${HELD}
local done = { event = entry.event, fingerprint = entry.fingerprint, provider = entry.provider, state = 'done',
  token = entry.token }
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(done))
redis.call('ZADD', KEYS[2], int(now), ARGV[1])
return 1
`);

/** KEYS: entries, done. ARGV: field, token. Returns 1 if it released the entry. */
export const FAIL = luaScript(`${HELD}
entry.state, entry.token, entry.lease = 'open', nil, nil
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(entry))
return 1
`);

/** KEYS: entries, done. ARGV: field, token. Returns 1 if it deleted the entry. */
export const WITHDRAW = luaScript(`${HELD}
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
`);

/**
 * KEYS: entries, done. ARGV: field. Returns the rest of the running claim's lease in ms; 0 without a running
 * claim.
 */
export const LEASE_LEFT = luaScript(`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local entry = stored and cjson.decode(stored)
if not entry or entry.state ~= 'running' then return '0' end
return int(math.max(0, entry.lease - now))
`);

/** KEYS: entries, done. ARGV: age in ms, maximum number. Returns the number of deleted entries. */
export const PURGE_ENTRIES = luaScript(`
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. int(now - ARGV[1]), 'LIMIT', 0, ARGV[2])
if #old == 0 then return 0 end
redis.call('HDEL', KEYS[1], unpack(old))
redis.call('ZREM', KEYS[2], unpack(old))
return #old
`);
