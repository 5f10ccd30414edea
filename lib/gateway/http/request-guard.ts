import { type AxiosInstance, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { readAnswer } from './send-attempt.js';
import { refuseChanged, sendWatchOf } from './send-watch.js';
import { transportBelow, requestOf } from './undici-transport.js';
import { watchedTransport } from './watched-transport.js';

/**
 * Sees every request of an axios after all other interceptors and before any adapter: axios runs last the one
 * that was there first. So an interceptor that throws has sent nothing, and one that sends again is seen.
 * Sees answers before all other interceptors: of those axios runs first the one that was there first.
 */
export class RequestGuard {
  private readonly request: unknown;

  constructor(private readonly axios: AxiosInstance) {
    this.request = requestMethod(axios);
    const { request, response } = axios.interceptors;
    keepFirst(request, () => {
      // Asynchronous interceptors would make those of the application so, too.
      request.use(this.guard, null, { synchronous: true });
    });
    keepFirst(response, () => {
      response.use(noteAnswer);
    });
  }

  /** Whether requests of this axios still pass by; a test may have put something in its place. */
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
    watch.dispatched += 1;
    const isWatched = transportBelow(config.adapter) || (isHttpAdapter(config) && !config.transport);
    config.transport ??= watchedTransport(watch);
    // Whatever else sends never says when it begins.
    if (!isWatched) watch.onStart?.();
    return config;
  };

  /** Where an adapter of axios sends it. To ask axios costs more than the rest of the guard. */
  private addressOf(config: InternalAxiosRequestConfig): string | undefined {
    const isWhole = config.baseURL === undefined && config.params === undefined;
    return isWhole ? config.url : this.axios.getUri(config);
  }
}

/**
 * Adds an interceptor before all others, and again where the application takes all of them away. What a test
 * puts in the place of axios may have no `clear`.
 */
function keepFirst(interceptors: { clear?(): void }, add: () => void): void {
  add();
  const clear = interceptors.clear?.bind(interceptors);
  if (!clear) return;
  interceptors.clear = () => {
    clear();
    add();
  };
}

/** Notes what an adapter answered that is not the package's own: a test's, for example. */
function noteAnswer(response: AxiosResponse<unknown>): AxiosResponse<unknown> {
  // A test's adapter may leave it out.
  const { config } = response as Partial<AxiosResponse>;
  const watch = sendWatchOf(config?.signal);
  if (watch?.taken === 0) watch.answer = readAnswer(response);
  return response;
}

/**
 * Whether axios sends through its own adapter for Node.js, which takes a transport. It chooses the first that
 * it can use.
 */
function isHttpAdapter({ adapter }: InternalAxiosRequestConfig): boolean {
  return [adapter].flat().find((name) => name !== 'xhr') === 'http';
}

/** What a test may have put a function of its own in the place of. */
function requestMethod(axios: { readonly request: unknown }): unknown {
  return axios.request;
}
