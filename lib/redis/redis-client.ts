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
