import { type AxiosInstance, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { readAnswer } from './send-try.js';
import { refuseChanged, sendWatchOf } from './send-watch.js';
import { endsWithConnection, hasPassed, lateError, transportBelow, requestOf } from './undici-transport.js';
import { watchedTransport } from './watched-transport.js';

/**
 * Sees every request of an axios after all other interceptors and before any adapter, because axios runs the
 * first request interceptor last. So the guard notices an interceptor that sends again, and one that throws
 * has sent nothing. It sees answers before all other interceptors, because axios runs the first response
 * interceptor first.
 */
export class RequestGuard {
  private readonly request: unknown;

  constructor(private readonly axios: AxiosInstance) {
    this.request = requestMethod(axios);
    const { request, response } = axios.interceptors;
    keepFirst(request, () => {
      // With an asynchronous interceptor, axios would run those of the application asynchronously too.
      request.use(this.guard, null, { synchronous: true });
    });
    keepFirst(response, () => {
      response.use(noteAnswer);
    });
  }

  /** Whether requests of this axios pass the guard. A test may have replaced axios. */
  guards(axios: AxiosInstance | undefined): boolean {
    return (
      axios === this.axios &&
      requestMethod(axios) === this.request &&
      axios.interceptors.request.handlers?.[0]?.fulfilled === this.guard
    );
  }

  private readonly guard = (config: InternalAxiosRequestConfig): InternalAxiosRequestConfig => {
    const watch = sendWatchOf(config.signal);
    if (!watch) return config;
    refuseChanged(watch, requestOf(config, this.addressOf(config)));
    // An interceptor may have taken long, and an adapter of the application asks nobody before it sends.
    if (hasPassed(watch.limits)) throw lateError();
    watch.dispatched += 1;
    const isWatched = transportBelow(config.adapter) || (nodeAdapter(config) === 'http' && !config.transport);
    config.transport ??= watchedTransport(watch);
    if (!isWatched) {
      watch.unwatched = true;
      // With fetch, axios before 1.20 follows redirects whatever `maxRedirects` says.
      config.fetchOptions = { ...config.fetchOptions, redirect: 'manual' };
      // Any other adapter does not say when it sends.
      watch.onSending?.();
    }
    return config;
  };

  /** The address to which axios sends. `getUri` costs more than the rest of the guard. */
  private addressOf(config: InternalAxiosRequestConfig): string | undefined {
    const isWhole = config.baseURL === undefined && config.params === undefined;
    return isWhole ? config.url : this.axios.getUri(config);
  }
}

/** Adds an interceptor before all others, and again after `clear`, which a test's substitute may lack. */
function keepFirst(interceptors: { clear?(): void }, add: () => void): void {
  add();
  const clear = interceptors.clear?.bind(interceptors);
  if (!clear) return;
  interceptors.clear = () => {
    clear();
    add();
  };
}

/** Notes the answer of an adapter that is not the package's own, for example a test's. */
function noteAnswer(response: AxiosResponse<unknown>): AxiosResponse<unknown> {
  // A test's adapter may leave `config` out.
  const { config } = response as Partial<AxiosResponse>;
  const watch = sendWatchOf(config?.signal);
  if (watch?.taken !== 0) return response;
  const cut = mayBeCutOff(response) && { mayBeCutOff: true as const };
  watch.answer = readAnswer({ ...response, ...cut });
  return response;
}

/**
 * Whether the end of the connection may have been the end of the body. Fetch shows every header. Other adapters, such as
 * those of a test, may leave headers out: theirs have to say that the connection ended.
 */
function mayBeCutOff({ config, headers }: Pick<AxiosResponse, 'config' | 'headers'>): boolean {
  const lower = Object.entries((headers as object | undefined) ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  const seen = Object.fromEntries(lower) as Record<string, string>;
  return (
    endsWithConnection(seen) &&
    (nodeAdapter(config) === 'fetch' || /\bclose\b/i.test(seen['connection'] ?? ''))
  );
}

/** The adapter that axios takes on Node.js: the first usable one. Its own `http` takes a transport. */
function nodeAdapter({ adapter }: InternalAxiosRequestConfig): unknown {
  return [adapter].flat().find((name) => name !== 'xhr');
}

/** Compared by identity: a test may have replaced the method. */
function requestMethod(axios: { readonly request: unknown }): unknown {
  return axios.request;
}
