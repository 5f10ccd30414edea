import { type HttpService } from '@nestjs/axios';
import { mayHaveBeenSent, watchSending } from './send-watch.js';

/** One request as every try of a call sends it. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What came of one try. Never holds another library's error: inspecting one prints the secret. */
export type AttemptResult =
  | {
      readonly result: 'response';
      readonly httpStatus: number;
      readonly text: string;
      readonly retryAfter: string | undefined;
    }
  | {
      readonly result: 'failure';
      readonly sent: boolean;
      readonly aborted: boolean;
      /** The network's error code, `TIMEOUT` or `ABORTED`. */
      readonly code: string;
    }
  /** Nothing was sent: after a 429 all calls of the account wait, and this one cannot. */
  | { readonly result: 'held-back'; readonly retryAfterMs: number };

/**
 * Sends a request once. One wall-clock limit holds over queueing, connecting, sending, the answer's headers and its
 * body, also where the body drips. Never rejects.
 */
export async function sendAttempt(
  http: HttpService,
  request: OutgoingRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  const controller = new AbortController();
  const watch = watchSending(controller.signal);
  const stop = stopper(controller);
  const onAbort = (): void => {
    stop.because('ABORTED');
  };
  if (signal?.aborted) return { result: 'failure', sent: false, aborted: true, code: 'ABORTED' };
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    stop.because('TIMEOUT');
  }, timeoutMs);
  try {
    const response = await Promise.race([
      http.axiosRef.request<unknown>({
        method: request.method,
        url: request.url,
        headers: { ...request.headers },
        data: request.body,
        signal: controller.signal,
      }),
      stop.promise,
    ]);
    return {
      result: 'response',
      httpStatus: response.status,
      text: textOf(response.data),
      retryAfter: headerOf(response.headers, 'retry-after'),
    };
  } catch (error) {
    const code = stop.reason() ?? networkCode(error);
    return { result: 'failure', sent: mayHaveBeenSent(watch), aborted: code === 'ABORTED', code };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

interface Stopper {
  /** Rejects when the attempt is given up, also where an adapter or an interceptor does not listen. */
  readonly promise: Promise<never>;
  because(reason: 'TIMEOUT' | 'ABORTED'): void;
  reason(): 'TIMEOUT' | 'ABORTED' | undefined;
}

function stopper(controller: AbortController): Stopper {
  let reason: 'TIMEOUT' | 'ABORTED' | undefined;
  return {
    promise: new Promise((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => {
        reject(new Error('given up'));
      });
    }),
    because: (why) => {
      reason ??= why;
      controller.abort();
    },
    reason: () => reason,
  };
}

/** Interceptors and test adapters may hand over parsed data. */
function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  return data === undefined || data === null ? '' : JSON.stringify(data);
}

function headerOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function networkCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : 'NETWORK_ERROR';
}
