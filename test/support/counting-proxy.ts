import { FaultyProxy } from './faulty-proxy.js';
import { type ClientRequest } from './request-splitter.js';

/** A proxy that breaks nothing, and counts the round trips to a server. */
export interface CountingProxy extends Pick<FaultyProxy, 'url' | 'close'> {
  /** How many round trips there were. */
  readonly roundTrips: number;
}

/** A driver writes what it asks in one go, and waits for the answer. */
export async function countingProxy(url: string): Promise<CountingProxy> {
  const asItComes = (bytes: Buffer): ClientRequest[] => [{ bytes, statements: [] }];
  let roundTrips = 0;
  const count = (): undefined => {
    roundTrips += 1;
  };
  const proxy = await FaultyProxy.before(url, () => asItComes, count);
  return {
    url: proxy.url,
    get roundTrips() {
      return roundTrips;
    },
    close: () => proxy.close(),
  };
}
