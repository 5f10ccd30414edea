import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { type OutgoingRequest } from './carrier.js';
import { type CollectedResponse } from './response-collector.js';
import { sendWatchOf } from './send-watch.js';
import { type UndiciCarrier } from './undici.carrier.js';

const CARRIERS = new WeakMap<object, UndiciCarrier>();

/** An axios adapter on a carrier. Its requests are given up through their signals. */
export function undiciAdapter(carrier: UndiciCarrier): AxiosAdapter {
  const adapter: AxiosAdapter = async (config) => {
    const signal = config.signal as AbortSignal | undefined;
    if (signal?.aborted) throw new Error('given up before sending');
    const watch = sendWatchOf(signal);
    if (watch) watch.watched = true;
    const passage = carrier.carry(requestOf(config), watch);
    const giveUp = (): void => {
      passage.giveUp();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return toAxiosResponse(await passage.answer, config);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  };
  CARRIERS.set(adapter, carrier);
  return adapter;
}

/** What carries the requests of an adapter; undefined where it is not the package's own. */
export function carrierBelow(adapter: unknown): UndiciCarrier | undefined {
  return typeof adapter === 'function' ? CARRIERS.get(adapter) : undefined;
}

function requestOf(config: InternalAxiosRequestConfig): OutgoingRequest {
  const { origin, pathname, search } = new URL(config.url ?? '');
  return {
    method: (config.method ?? 'get').toUpperCase() as OutgoingRequest['method'],
    origin,
    path: pathname + search,
    headers: config.headers.toJSON(true),
    body: typeof config.data === 'string' ? config.data : undefined,
  };
}

function toAxiosResponse(
  { data, status, statusText, headers }: CollectedResponse,
  config: InternalAxiosRequestConfig,
): AxiosResponse<string> {
  return { data, status, statusText, headers: headers as Record<string, string | string[]>, config };
}
