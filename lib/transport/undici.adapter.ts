import { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { type Dispatcher } from 'undici';
import { ResponseCollector, type CollectedResponse } from './response-collector.js';
import { sendWatchOf } from './send-watch.js';

/**
 * An axios adapter on an undici dispatcher. It follows no redirect and sends a request at most once; time limits are
 * the caller's, through the signal.
 */
export function undiciAdapter(dispatcher: Dispatcher): AxiosAdapter {
  const rest = restOfTurn();
  return async (config) => {
    const signal = config.signal as AbortSignal | undefined;
    const watch = sendWatchOf(signal);
    if (watch) watch.watched = true;
    await rest.over();
    const url = new URL(config.url ?? '');
    const response = await new Promise<CollectedResponse>((resolve, reject) => {
      const collector = new ResponseCollector(resolve, reject, signal, () => {
        if (watch) watch.started = true;
      });
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: (config.method ?? 'get').toUpperCase(),
          headers: headersOf(config),
          body: typeof config.data === 'string' ? config.data : null,
          // The attempt's own timer bounds both, to the millisecond.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        collector,
      );
    });
    rest.begin();
    return toAxiosResponse(response, config);
  };
}

/**
 * undici uses a connection again in the turn of the event loop after its answer. A call that does not wait for that opens
 * another one, with another handshake.
 */
function restOfTurn(): { readonly over: () => Promise<void> | undefined; readonly begin: () => void } {
  let rest: Promise<void> | undefined;
  return {
    over: () => rest,
    begin: () => {
      rest ??= new Promise((resolve) => {
        setImmediate(() => {
          rest = undefined;
          resolve();
        });
      });
    },
  };
}

function headersOf(config: InternalAxiosRequestConfig): Record<string, string> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(config.headers.toJSON(true)))
    headers[name.toLowerCase()] = value;
  return headers;
}

function toAxiosResponse(
  response: CollectedResponse,
  config: InternalAxiosRequestConfig,
): AxiosResponse<string> {
  return {
    data: response.text,
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    config,
  };
}
