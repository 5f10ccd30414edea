import { type CarriedAnswer, type Carrier, type OutgoingRequest } from './carrier.js';

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
export function sendAttempt(
  carrier: Carrier,
  request: OutgoingRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  if (signal?.aborted) {
    return Promise.resolve({ result: 'failure', sent: false, aborted: true, code: 'ABORTED' });
  }
  const passage = carrier.carry(request);
  return new Promise((resolve) => {
    const end = (result: AttemptResult): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const fail = (code: string): void => {
      end({ result: 'failure', sent: passage.mayHaveBeenSent(), aborted: code === 'ABORTED', code });
    };
    // Ends the attempt also where an adapter or an interceptor does not listen.
    const giveUp = (code: 'TIMEOUT' | 'ABORTED'): void => {
      passage.giveUp();
      fail(code);
    };
    const onAbort = (): void => {
      giveUp('ABORTED');
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      giveUp('TIMEOUT');
    }, timeoutMs);
    // It may have fired while the request was handed over.
    if (signal?.aborted) onAbort();
    passage.answer.then(resultOf).then(end, (error: unknown) => {
      fail(networkCode(error));
    });
  });
}

function resultOf({ status, headers, data }: CarriedAnswer): AttemptResult {
  return {
    result: 'response',
    httpStatus: status,
    text: textOf(data),
    retryAfter: headerOf(headers, 'retry-after'),
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
