import { Redis } from 'ioredis';

/**
 * The part of a client that the package uses. `Redis` and `Cluster` of ioredis 5 and 6 fit, from any copy of
 * ioredis.
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
  /** Reads a section of the server's information. */
  info(section: string): Promise<string>;
  /** The servers of a cluster; absent if the client is of one server. */
  nodes?(role: 'master'): readonly RedisClient[];
}

/** Time limit of a new connection and of an answer. */
const SILENCE_MS = 5_000;

/**
 * Whether a replica refused to write. After a fail-over, the master that the client is connected to may continue as one, while
 * its address already leads to the new master. Before Redis 7, the code stands inside of the message.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && error.message.includes('READONLY');
}

/**
 * Opens a client that fails a call as soon as the connection is lost. A delayed call would run after its
 * caller gave up, and could run twice. The client connects at its first call, so that a failed boot leaves
 * nothing open.
 */
export function openRedisClient(url: string): Redis {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    reconnectOnError: isReadOnly,
  });
  // A lost connection fails the calls, whose callers report it. Without a listener ioredis would print it as
  // well.
  client.on('error', () => {});
  return client;
}
