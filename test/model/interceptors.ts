import { type AxiosInstance, type InternalAxiosRequestConfig as Config } from 'axios';
import { type Interceptor } from './plan.js';

/** What a key begins with that an interceptor put there. */
export const CHANGED_KEY = 'changed-';

/** Whether somebody beside the package sends requests again. */
export function repeatsRequests(kind: Interceptor): boolean {
  return kind === 'sends again' || kind === 'sends elsewhere';
}

/**
 * Gives an HTTP client the interceptors of a plan; calls `acted` each time that one interferes. Returns what waits until
 * nothing is under way any more through a client of which the package knows nothing: a call ends without it.
 */
export function intercept(axios: AxiosInstance, kind: Interceptor, acted: () => void): () => Promise<void> {
  const elsewhere = new Set<Promise<object>>();
  switch (kind) {
    case 'none':
      break;
    case 'harmless':
      axios.interceptors.request.use((config) => config);
      break;
    case 'sends again':
      sendAgain(axios, acted, (request) => axios.request(request));
      break;
    case 'sends elsewhere':
      sendAgain(axios, acted, (request) => {
        const sent = sendElsewhere(request);
        elsewhere.add(sent);
        return sent.finally(() => elsewhere.delete(sent));
      });
      break;
    case 'another key':
      everyOther(axios, acted, (config) => {
        const { headers } = config;
        // Nothing in the request says any more whose it is.
        config.signal = new AbortController().signal;
        headers.set('Idempotency-Key', `${CHANGED_KEY}${String(headers.get('Idempotency-Key'))}`);
      });
      break;
    case 'throws':
      everyOther(axios, acted, () => {
        throw new Error('an interceptor of the application');
      });
      break;
  }
  return async () => {
    await Promise.allSettled(elsewhere);
  };
}

/** Every other request that moves money, from the first on. */
function everyOther(axios: AxiosInstance, acted: () => void, interfere: (config: Config) => void): void {
  let requests = 0;
  axios.interceptors.request.use((config) => {
    if (config.method !== 'post') return config;
    requests += 1;
    if (requests % 2 === 0) return config;
    acted();
    interfere(config);
    return config;
  });
}

/** Through a client of which the package knows nothing. */
async function sendElsewhere({ url, data, headers }: Config): Promise<object> {
  const init = { method: 'POST', body: String(data), headers: headers.toJSON(true) };
  const answer = await fetch(String(url), { ...init, redirect: 'manual' });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), data: await answer.text() };
}

/** A failure does not say whose it is: only a request that was alone is sent again, once. */
function sendAgain(
  axios: AxiosInstance,
  acted: () => void,
  resend: (request: Config) => Promise<unknown>,
): void {
  // By its signal: axios makes a new configuration of each one that it is given.
  const again = new WeakSet<object>();
  let underWay = 0;
  let last: Config | undefined;
  const retry = (): Promise<unknown> | undefined => {
    const isAlone = underWay === 1;
    underWay -= 1;
    // Who gave up wants nothing sent, and a read is no payment.
    if (!isAlone || !last?.signal || last.signal.aborted || last.method !== 'post') return undefined;
    if (again.has(last.signal)) return undefined;
    again.add(last.signal);
    acted();
    return resend(last);
  };
  axios.interceptors.request.use((config) => {
    underWay += 1;
    last = config;
    return config;
  });
  axios.interceptors.response.use(
    (response) => {
      if (response.status >= 500) return (retry() ?? response) as never;
      underWay -= 1;
      return response;
    },
    (error: Error) => retry() ?? Promise.reject(error),
  );
}
