import {
  type BodyHeaders,
  type HttpTransport,
  type InFlightRequest,
  type OutgoingRequest,
  type SendLimits,
  type TransportAnswer,
} from './http-transport.js';
import { type WaitHeaders } from '../wait-before-try.js';

type AnswerHeaders = BodyHeaders & WaitHeaders;

/** The part of an answer that the package reads. */
export interface ReadAnswer {
  readonly httpStatus: number;
  readonly text: string;
  readonly headers: AnswerHeaders;
  /** Set if the end of the connection was the end of the text, so that it may be cut off. */
  readonly mayBeCutOff?: true;
}

/** The result of one try. It contains no error of another library: to inspect one prints the secret. */
export type TryResult =
  | (ReadAnswer & {
      readonly result: 'response';
      /** Set if an interceptor sent another request before, or replaced the answer. */
      readonly resent?: true;
    })
  | {
      readonly result: 'failure';
      readonly sent: boolean;
      readonly aborted: boolean;
      /** The network's error code, `TIMEOUT` or `ABORTED`. */
      readonly code: string;
      /** The part of the request that an interceptor changed, so that nothing was sent. */
      readonly changed?: string;
    }
  /** Nothing was sent: after a 429 all calls of the account wait, and this call cannot wait that long. */
  | { readonly result: 'held-back'; readonly retryAfterMs: number };

/**
 * Sends a request once. One time limit covers the wait for a connection, connecting, sending, and the
 * answer's headers and body, even a slow body. Never rejects.
 *
 * @param onSending Called when the first byte is about to leave; must not throw.
 * @param limits After these nothing may leave.
 */
export function sendTry(
  transport: HttpTransport,
  request: OutgoingRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  onSending?: () => void,
  limits?: SendLimits,
): Promise<TryResult> {
  if (signal?.aborted) {
    return Promise.resolve({ result: 'failure', sent: false, aborted: true, code: 'ABORTED' });
  }
  const inFlight = transport.send(request, onSending, limits);
  return new Promise((resolve) => {
    const end = (result: TryResult): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const fail = (code: string): void => {
      const sent = inFlight.mayHaveBeenSent();
      const aborted = code === 'ABORTED';
      end({ result: 'failure', sent, aborted, code, ...(!sent && !aborted && reasonOf(inFlight)) });
    };
    // Ends the try even if an adapter or an interceptor ignores the signal.
    const abort = (code: 'TIMEOUT' | 'ABORTED'): void => {
      inFlight.abort();
      fail(code);
    };
    const onAbort = (): void => {
      abort('ABORTED');
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      abort('TIMEOUT');
    }, timeoutMs);
    // The signal may have fired during `send`.
    if (signal?.aborted) onAbort();
    inFlight.answer
      .then((answer) => {
        const { byProxy, resent } = answer;
        if (byProxy) fail(`PROXY_ANSWERED_${answer.status}`);
        else end({ result: 'response', ...readAnswer(answer), ...(resent && { resent }) });
      })
      .catch((error: unknown) => {
        fail(networkCode(error));
      });
  });
}

/** An interceptor's failure gets a code of this package, because its own code may be anything. */
function reasonOf(inFlight: InFlightRequest): { readonly code?: string; readonly changed?: string } {
  const { changed, interceptorFailed } = inFlight.notSentBecause();
  if (changed !== undefined) return { code: 'REQUEST_CHANGED', changed };
  return interceptorFailed ? { code: 'INTERCEPTOR_FAILED' } : {};
}

function networkCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : 'NETWORK_ERROR';
}

/** Reads an answer, whichever client brought it. */
export function readAnswer({ status, headers, data, mayBeCutOff }: TransportAnswer): ReadAnswer {
  return {
    ...(mayBeCutOff && { mayBeCutOff }),
    httpStatus: status,
    text: textOf(data),
    headers: {
      retryAfter: headerOf(headers, 'retry-after', 'Retry-After'),
      date: headerOf(headers, 'date', 'Date'),
      contentType: headerOf(headers, 'content-type', 'Content-Type'),
      contentEncoding: headerOf(headers, 'content-encoding', 'Content-Encoding'),
    },
  };
}

/** Interceptors and tests' adapters may pass parsed data. */
function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  return data == null ? '' : JSON.stringify(data);
}

/** Joins a repeated header as on the wire. Tests' adapters write names as people do. */
function headerOf(headers: TransportAnswer['headers'], name: string, written: string): string | undefined {
  const value = headers[name] ?? headers[written];
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : undefined;
}
