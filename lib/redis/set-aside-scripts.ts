import { luaScript } from './lua-script.js';

/*
 * KEYS of every script: set aside, order. An entry is stored as `<first seen, in µs> <how often> <JSON>`; that first number is
 * its place in the order, and no two entries have the same.
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

/** ARGV: the place after which to begin, how many at most. What is stored. */
export const LIST_SET_ASIDE = luaScript(`
local fields = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])
if #fields == 0 then return {} end
return redis.call('HMGET', KEYS[1], unpack(fields))
`);

/** ARGV: field. What is stored; nil where there is nothing. */
export const GET_SET_ASIDE = luaScript(`return redis.call('HGET', KEYS[1], ARGV[1])`);

/** ARGV: field, place. Only the entry of that place: one that was set aside anew is another. */
export const REMOVE_SET_ASIDE = luaScript(`
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored or string.match(stored, '^(%d+) ') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`);

/**
 * ARGV: kind, age in ms, the place after which to begin, how many to look at. How many were forgotten, and where to go on; nothing
 * there at the end.
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
