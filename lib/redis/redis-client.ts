/**
 * What the package needs of a client. `Redis` and `Cluster` of ioredis 5 and 6 have it, whichever copy of ioredis they
 * come from.
 *
 * @publicApi
 */
export interface RedisClient {
  /** `reconnecting` while the connection is lost. */
  readonly status: string;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  info(section: string): Promise<string>;
}
