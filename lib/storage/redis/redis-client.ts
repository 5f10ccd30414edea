import { Redis } from 'ioredis';

/**
 * What the package needs of a client. `Redis` and `Cluster` of ioredis 5 and 6 have it, whichever copy of ioredis they
 * come from.
 *
 * @publicApi
 */
export interface RedisClient {
  /** `reconnecting` while the connection is lost. */
  readonly status: string;
  /** Runs a Lua script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs a Lua script that the server knows, by its SHA-1. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** A section of what the server tells about itself. */
  info(section: string): Promise<string>;
}

/** How long a new connection, or an answer, may take. */
const SILENCE_MS = 5_000;

/**
 * Opens a client that fails a call as soon as the connection is lost, instead of keeping it for later: its caller is
 * gone by then, and it must not run twice. The client connects at its first call, so that a boot that fails leaves
 * nothing open.
 */
export function openRedisClient(url: string): Redis {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
  });
  // A lost connection fails the calls, and who made them reports it; without a listener ioredis prints it as well.
  client.on('error', () => {});
  return client;
}
