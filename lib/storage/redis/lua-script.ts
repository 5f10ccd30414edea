import { createHash } from 'node:crypto';

/** A Lua script with its name in Redis. */
export interface LuaScript {
  readonly source: string;
  /** SHA-1 (hex) of the source: its name in Redis. */
  readonly sha1: string;
}

/**
 * The time by the server's clock: `micros` and `now` (milliseconds) since 1970. Lua writes large numbers as
 * `1.8e+15`, so stored and returned numbers go through `int`.
 */
const TIME = `
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local function int(number) return string.format('%.0f', number) end
`;

/** A script that may read the time. */
export function luaScript(body: string): LuaScript {
  const source = `${TIME}${body}`;
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
