import { luaScript } from './lua-script.js';
import { JOURNAL_STATES } from './redis-keys.js';

/*
 * KEYS of every script: payments, last version, then one index per state (`RedisKeys.journal`).
 *
 * A payment is stored as a row: `<version> <created> <updated> <attempt at> <lease until> <sequence> <attempt> <state> <JSON>`,
 * times in ms. The sequence is the first version, and the order of the lists.
 */
const ROWS = `
local index = {}
for i, state in ipairs({ ${JOURNAL_STATES.map((state) => `'${state}'`).join(', ')} }) do index[state] = KEYS[2 + i] end
local function read(field)
  local row = redis.call('HGET', KEYS[1], field)
  if not row then return nil end
  local version, created, updated, attemptAt, sequence, attempt, state =
    string.match(row, '^(%d+) (%d+) (%d+) (%d+) %d+ (%d+) (%d+) (%S+) ')
  return { row = row, version = version, created = created, updated = updated, attemptAt = attemptAt,
    sequence = sequence, attempt = attempt, state = state }
end
`;

/**
 * The next version: one above the last, or the time in µs, whichever is more. So none comes back even where Redis lost
 * its data and counts anew.
 */
const WRITE = `
local function nextVersion()
  local version = int(math.max((redis.call('GET', KEYS[2]) or 0) + 1, micros))
  redis.call('SET', KEYS[2], version)
  return version
end
local function write(field, version, created, attemptAt, sequence, attempt, state, lease, json)
  local row = table.concat(
    { version, created, int(now), attemptAt, int(now + lease), sequence, attempt, state, json }, ' ')
  redis.call('HSET', KEYS[1], field, row)
  redis.call('ZADD', index[state], sequence, field)
  return row
end
`;

/** ARGV: field, attempt, state, lease in ms, JSON. Whether it was inserted, the time, the row that stands. */
export const INSERT = luaScript(`${ROWS}${WRITE}
local field, attempt, state, lease, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local standing = read(field)
if standing then return { '0', int(now), standing.row } end
local version = nextVersion()
return { '1', int(now), write(field, version, int(now), int(now), version, attempt, state, lease, json) }
`);

/** ARGV: field, attempt, state, lease in ms, JSON, version. The time and the new row; nil where the version is another. */
export const REPLACE = luaScript(`${ROWS}${WRITE}
local field, attempt, state, lease, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local standing = read(field)
if not standing or standing.version ~= ARGV[6] then return false end
local attemptAt = standing.attempt == attempt and standing.attemptAt or int(now)
local version = nextVersion()
if standing.state ~= state then redis.call('ZREM', index[standing.state], field) end
return { int(now), write(field, version, standing.created, attemptAt, standing.sequence, attempt, state, lease, json) }
`);

/** ARGV: field. The time and the row; nil where there is none. */
export const GET = luaScript(`
local row = redis.call('HGET', KEYS[1], ARGV[1])
return row and { int(now), row }
`);

/** ARGV: field, version. 1: removed. */
export const REMOVE = luaScript(`${ROWS}
local standing = read(ARGV[1])
if not standing or standing.version ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', index[standing.state], ARGV[1])
return 1
`);

/** ARGV: state, the sequence after which to begin, how many at most. The time, then the rows. */
export const LIST = luaScript(`${ROWS}
local fields = redis.call('ZRANGEBYSCORE', index[ARGV[1]], '(' .. ARGV[2], '+inf', 'LIMIT', 0, ARGV[3])
if #fields == 0 then return { int(now) } end
return { int(now), unpack(redis.call('HMGET', KEYS[1], unpack(fields))) }
`);

/**
 * ARGV: state, age in ms, the sequence after which to begin, how many to look at. How many were forgotten, and where to go on;
 * nothing there where all that come later were not even written down long enough ago.
 */
export const PURGE = luaScript(`${ROWS}
local latest = now - ARGV[2]
local fields = redis.call('ZRANGEBYSCORE', index[ARGV[1]], '(' .. ARGV[3], '+inf', 'LIMIT', 0, ARGV[4])
local old, last = {}, nil
for _, field in ipairs(fields) do
  local standing = read(field)
  if tonumber(standing.created) >= latest then last = nil break end
  if tonumber(standing.updated) < latest then table.insert(old, field) end
  last = standing.sequence
end
if #old > 0 then
  redis.call('HDEL', KEYS[1], unpack(old))
  redis.call('ZREM', index[ARGV[1]], unpack(old))
end
return { int(#old), #fields == tonumber(ARGV[4]) and last or '' }
`);
