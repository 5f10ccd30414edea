import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { type OutgoingRequest } from './carrier.js';
import { type CollectedResponse } from './response-collector.js';
import { refuseChanged, sendWatchOf } from './send-watch.js';
import { type UndiciCarrier } from './undici.carrier.js';

const CARRIERS = new WeakMap<object, UndiciCarrier>();

/** An axios adapter on a carrier. Its requests are given up through their signals, and through that of the package. */
export function undiciAdapter(carrier: UndiciCarrier): AxiosAdapter {
  const adapter: AxiosAdapter = async (config) => {
    const watch = sendWatchOf(config.signal);
    const signals = new Set([config.signal as AbortSignal | undefined, watch?.signal]);
    for (const signal of signals) if (signal?.aborted) throw new Error('given up before sending');
    const request = requestOf(config);
    if (watch) {
      watch.taken += 1;
      // Another adapter above this one may have changed it, too.
      refuseChanged(watch, request);
    }
    const passage = watch ? carrier.carryWatched(request, watch) : carrier.carry(request);
    const giveUp = (): void => {
      passage.giveUp();
    };
    for (const signal of signals) signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return toAxiosResponse(await passage.answer, config);
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', giveUp);
    }
  };
  CARRIERS.set(adapter, carrier);
  return adapter;
}

/** What carries the requests of an adapter; undefined where it is not the package's own. */
export function carrierBelow(adapter: unknown): UndiciCarrier | undefined {
  return typeof adapter === 'function' ? CARRIERS.get(adapter) : undefined;
}

/** What axios made of a request; its whole address is in `url`. */
export function requestOf({
  url = '',
  method = 'get',
  headers,
  data,
}: InternalAxiosRequestConfig): OutgoingRequest {
  const { origin, pathname, search } = new URL(url);
  return {
    method: method.toUpperCase() as OutgoingRequest['method'],
    origin,
    path: pathname + search,
    // An interceptor may have put a plain object there.
    headers:
      typeof headers.toJSON === 'function'
        ? headers.toJSON(true)
        : Object.fromEntries(Object.entries(headers)),
    body: typeof data === 'string' ? data : undefined,
  };
}

function toAxiosResponse(
  { data, status, statusText, headers }: CollectedResponse,
  config: InternalAxiosRequestConfig,
): AxiosResponse<string> {
  return { data, status, statusText, headers: headers as Record<string, string | string[]>, config };
}
