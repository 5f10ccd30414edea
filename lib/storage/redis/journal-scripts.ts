import { type LuaScript, luaScript } from './lua-script.js';
import { dayExpression } from '../daily-cap.js';
import { INDEXED_STATES } from './redis-keys.js';

/*
 * KEYS of every script: payments, last version, tombstones, one index per state, one for all other states (`RedisKeys.journal`).
 *
 * A payment is stored as a row: `<version> <created> <updated> <attempt at> <lease until> <sequence> <attempt> <state> <JSON>`,
 * times in ms. The sequence is the first version, and the order of the lists.
 */
const LAST_INDEX = INDEXED_STATES.length + 4;
const ROWS = `
local index = setmetatable({}, { __index = function() return KEYS[${LAST_INDEX}] end })
for i, state in ipairs({ ${INDEXED_STATES.map((state) => `'${state}'`).join(', ')} }) do index[state] = KEYS[3 + i] end
local function indexedAt(field)
  for i = 4, ${LAST_INDEX} do
    local sequence = redis.call('ZSCORE', KEYS[i], field)
    if sequence then return sequence end
  end
end
-- An index may name a row that Redis lost. The row counts as existing, with version 0, like an unreadable row.
local function read(field)
  local row = redis.call('HGET', KEYS[1], field)
  if not row and not indexedAt(field) then return nil end
  row = row or ''
  local version, created, updated, attemptAt, sequence, attempt, state =
    string.match(row, '^(%d+) (%d+) (%d+) (%d+) %d+ (%d+) (%d+) (%S+) ')
  return { row = row, version = version or '0', created = created, updated = updated, attemptAt = attemptAt,
    sequence = sequence, attempt = attempt, state = state }
end
`;

/**
 * A tombstone is stored as `<attempt> <end> <source, or -> <left at>` under 16 bytes of the SHA-1 of its
 * payment's field.
 */
const TOMBSTONES = `
local function tombstoneField(field)
  return (string.gsub(string.sub(redis.sha1hex(field), 1, 32), '..', function (hex) return string.char(tonumber(hex, 16)) end))
end
`;

/**
 * The next version: one above the last, or the time in µs, whichever is more. So no version repeats, even if
 * Redis loses its data.
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

/**
 * Takes a payment from the day, or returns the day that has no room. The counter is the key after the indexes: `<day> <count>
 * <cents>`. It begins again if its day is over, or if the clock was ahead by more than a day when it was written. The last three
 * ARGV: cents, largest number of payments, largest sum; empty: no bound.
 */
const COUNT = `
local counter = KEYS[${LAST_INDEX + 1}]
local today = math.floor(${dayExpression('now')})
local day, count, cents = string.match(redis.call('GET', counter) or '', '^(%d+) (%d+) (%d+)$')
day = tonumber(day)
if not day or day < today or day > today + 1 then day, count, cents = today, 0, 0 end
count, cents = count + 1, cents + ARGV[#ARGV - 2]
if count > (tonumber(ARGV[#ARGV - 1]) or math.huge) or cents > (tonumber(ARGV[#ARGV]) or math.huge) then
  return { 'reached', int(day) }
end
redis.call('SET', counter, table.concat({ int(day), int(count), int(cents) }, ' '))
`;

/** ARGV: day, cents. */
export const GIVE_BACK = luaScript(`
local counter = KEYS[${LAST_INDEX + 1}]
local day, count, cents = string.match(redis.call('GET', counter) or '', '^(%d+) (%d+) (%d+)$')
if day == ARGV[1] then
  redis.call('SET', counter, table.concat({ day, int(math.max(count - 1, 0)), int(math.max(cents - ARGV[2], 0)) }, ' '))
end
`);

/**
 * ARGV: field, attempt, state, lease in ms, JSON. Returns `1`, the time and the new row; `0`, the time and
 * the existing row; or only the tombstone.
 */
export const INSERT = insertScript('');

/** The same, if the day has room, with the day that counts it after the row. Else returns `reached` and the day. */
export const COUNTED_INSERT = insertScript(COUNT, ', int(day)');

function insertScript(count: string, countedOn = ''): LuaScript {
  return luaScript(`${ROWS}${WRITE}${TOMBSTONES}
local field, attempt, state, lease, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local existing = read(field)
if existing then return { '0', int(now), existing.row } end
local tombstone = redis.call('HGET', KEYS[3], tombstoneField(field))
if tombstone then return { tombstone } end
${count}
local version = nextVersion()
return { '1', int(now), write(field, version, int(now), int(now), version, attempt, state, lease, json)${countedOn} }
`);
}

/**
 * ARGV: field, attempt, state, lease in ms, JSON, version, `intentText`; version 0 means an unreadable row.
 * Returns the time and the new row, or nil for another version.
 */
export const REPLACE = replaceScript('');

/** The same, if the day has room, with the day that counts it after the row. Else returns `reached` and the day. */
export const COUNTED_REPLACE = replaceScript(COUNT, ', int(day)');

function replaceScript(count: string, countedOn = ''): LuaScript {
  return luaScript(`${ROWS}${WRITE}
local field, attempt, state, lease, json = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local existing = read(field)
if not existing or existing.version ~= ARGV[6] then return false end
${count}
local isSameCall = existing.attempt == attempt and string.find(existing.row, ARGV[7], 1, true)
local attemptAt = isSameCall and existing.attemptAt or int(now)
local version = nextVersion()
local created, sequence = existing.created, existing.sequence
if existing.version == '0' then
  sequence = indexedAt(field) or version
  created = int(math.floor(sequence / 1000))
  for i = 4, ${LAST_INDEX} do redis.call('ZREM', KEYS[i], field) end
elseif existing.state ~= state then
  redis.call('ZREM', index[existing.state], field)
end
return { int(now), write(field, version, created, attemptAt, sequence, attempt, state, lease, json)${countedOn} }
`);
}

/** ARGV: field. Returns the time and the row; nil without a row. */
export const GET = luaScript(`${ROWS}
local existing = read(ARGV[1])
return existing and { int(now), existing.row }
`);

/** ARGV: field. Returns the tombstone, or nil. */
export const TOMBSTONE = luaScript(`${TOMBSTONES}
return redis.call('HGET', KEYS[3], tombstoneField(ARGV[1]))
`);

/** ARGV: field, end, source of the outcome. Does nothing without a tombstone. */
export const END_TOMBSTONE = luaScript(`${ROWS}${TOMBSTONES}
local field = tombstoneField(ARGV[1])
local attempt = string.match(redis.call('HGET', KEYS[3], field) or '', '^%d+')
if attempt then redis.call('HSET', KEYS[3], field, table.concat({ attempt, ARGV[2], ARGV[3], int(now) }, ' ')) end
`);

/** ARGV: field, version. Returns 1 if it removed the row. */
export const REMOVE = luaScript(`${ROWS}
local existing = read(ARGV[1])
if not existing or existing.version == '0' or existing.version ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', index[existing.state], ARGV[1])
return 1
`);

/**
 * ARGV: the sequence after which to begin, the maximum number, the earliest creation time in ms or an empty text, then the
 * states to leave out. Returns the time, then field, sequence and row of each payment; the row is empty if it is lost.
 *
 * A sequence is the time in µs, or more: no payment of an earlier sequence was created at `from`. A later one may be older than
 * `from`, if the clock went back. A row that cannot be read has no other time than its sequence.
 */
export const LIST = luaScript(`${ROWS}
local except, found, reply = {}, {}, { int(now) }
for i = 4, #ARGV do except[ARGV[i]] = true end
local begin, limit, from = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if from and from * 1000 > tonumber(begin) then begin = int(from * 1000 - 1) end
local function collect(key, isWanted)
  local after, wanted = begin, 0
  repeat
    local page = redis.call('ZRANGEBYSCORE', key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
    for i = 1, #page, 2 do
      after = page[i + 1]
      if isWanted(page[i]) then
        table.insert(found, { field = page[i], sequence = tonumber(after) })
        wanted = wanted + 1
      end
    end
  until #page < 2 * limit or wanted >= limit
end
local function isYoung(row) return not (from and row and row.created and tonumber(row.created) < from) end
local function isYoungField(field) return not from or isYoung(read(field)) end
for state, key in pairs(index) do if not except[state] then collect(key, isYoungField) end end
-- Planned payments have no index of their own.
collect(index.other, function(field)
  local row = read(field)
  return not (row and row.state and except[row.state]) and isYoung(row)
end)
table.sort(found, function(one, other) return one.sequence < other.sequence end)
for i = 1, math.min(#found, ARGV[2]) do
  table.insert(reply, found[i].field)
  table.insert(reply, int(found[i].sequence))
  table.insert(reply, redis.call('HGET', KEYS[1], found[i].field) or '')
end
return reply
`);

/**
 * ARGV: state, age in ms, the sequence after which to begin, how many to read. Returns the number of deleted
 * payments and the next sequence; no sequence if all later payments are too young.
 *
 * Searches the JSON text for outcome, source and a kept key instead of parsing it: a quotation mark without a
 * preceding backslash ends a name or a value, so no text within a value can match.
 */
export const PURGE = luaScript(`${ROWS}${TOMBSTONES}
local function tombstoneOf(row, state)
  local open = 'accepted'
  if state == 'rejected' then
    open = string.find(row.row, '"keepsKey":true', 1, true) and 'unlisted-refusal' or 'rejected'
  end
  local outcome = string.match(row.row, '"outcome":"(%a+)"') or open
  local by = string.match(row.row, '"settledBy":"(%a+)"') or '-'
  return table.concat({ row.attempt, outcome, by, int(now) }, ' ')
end
local latest = now - ARGV[2]
local fields = redis.call('ZRANGEBYSCORE', index[ARGV[1]], '(' .. ARGV[3], '+inf', 'LIMIT', 0, ARGV[4])
local old, left, last = {}, {}, nil
for _, field in ipairs(fields) do
  local existing = read(field)
  -- Unreadable rows stay: an operator must look at them.
  if existing and existing.version ~= '0' then
    if tonumber(existing.created) >= latest then last = nil break end
    if tonumber(existing.updated) < latest then
      table.insert(old, field)
      table.insert(left, { tombstoneField(field), tombstoneOf(existing, ARGV[1]) })
    end
  end
  last = int(redis.call('ZSCORE', index[ARGV[1]], field))
end
if #old > 0 then
  -- A script that fails has done what it did before: this one fails before it deletes anything.
  redis.call('HLEN', KEYS[3])
  redis.call('HDEL', KEYS[1], unpack(old))
  redis.call('ZREM', index[ARGV[1]], unpack(old))
  -- A full Redis refuses a script whose first write needs memory, and no later write of it.
  for _, tombstone in ipairs(left) do redis.call('HSET', KEYS[3], tombstone[1], tombstone[2]) end
end
return { int(#old), #fields == tonumber(ARGV[4]) and last or '' }
`);

/**
 * ARGV: age in ms, the cursor of HSCAN, about how many to read. Returns the number of deleted tombstones and
 * the next cursor.
 *
 * There is no index by time: it would double the size of every tombstone for a purge that runs once a day at
 * most.
 */
export const PURGE_TOMBSTONES = luaScript(`
local latest = now - ARGV[1]
local scanned = redis.call('HSCAN', KEYS[3], ARGV[2], 'COUNT', ARGV[3])
local old = {}
for i = 1, #scanned[2], 2 do
  if tonumber(string.match(scanned[2][i + 1], '(%d+)$')) < latest then table.insert(old, scanned[2][i]) end
end
if #old > 0 then redis.call('HDEL', KEYS[3], unpack(old)) end
return { int(#old), scanned[1] }
`);
