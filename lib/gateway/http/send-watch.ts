import { AsyncLocalStorage } from 'node:async_hooks';
import { type TransportAnswer, type OutgoingRequest, type SendLimits } from './http-transport.js';
import { readAnswer, type ReadAnswer } from './send-try.js';

/** What is known about the sending of one try. The request guard and the transports below axios write it. */
export interface SendWatch {
  /** The request of a payment. Undefined for a read, which interceptors may change and send again. */
  readonly asked?: OutgoingRequest;
  /** Fires when the try is given up. An application may put another signal into the request. */
  readonly signal: AbortSignal;
  /** How often axios passed the request to an adapter. */
  dispatched: number;
  /** How often the package's own adapter or transport took it. These say when sending starts. */
  taken: number;
  /** How often the first byte was about to leave. */
  sends: number;
  /** Set if an adapter or a transport of the application got it: it may send by itself, and hand it on only then. */
  unwatched?: true;
  /** The last answer that came over the wire. An interceptor may replace it. */
  answer?: ReadAnswer;
  /** Set if a proxy refused to open a tunnel, and answers instead of the gateway. */
  tunnelRefused?: true;
  /** Set once the try was given up or answered: the payment must not leave any more. */
  over: boolean;
  /** The part of the request that an interceptor changed. The changed request was not sent. */
  changed?: string;
  /** Called when the first byte is about to leave; must not throw. */
  readonly onSending?: (() => void) | undefined;
  /** After these nothing may leave. */
  readonly limits?: SendLimits | undefined;
}

type Counts = Pick<SendWatch, 'dispatched' | 'taken' | 'sends' | 'unwatched' | 'tunnelRefused'>;
type Seen = Counts & Pick<SendWatch, 'answer'>;

/** Notes that the first byte is about to leave. */
export function noteStart(watch: Pick<SendWatch, 'sends' | 'onSending'>): void {
  watch.sends += 1;
  if (watch.sends === 1) watch.onSending?.();
}

/** A property: a WeakMap costs the garbage collector more than the rest of a try. */
const WATCH = Symbol('nestjs-payments.send-watch');

type WatchedSignal = object & { [WATCH]?: SendWatch };

/**
 * The payment for which an interceptor works, whatever it does to the request. A function, because Node.js
 * prints the stored value with a promise or a timer.
 */
const AT_WORK_FOR = new AsyncLocalStorage<(() => SendWatch) | undefined>();

/** Starts to watch the try that has this signal. */
export function watchSending(
  signal: AbortSignal,
  request: OutgoingRequest,
  onSending?: () => void,
  limits?: SendLimits,
): SendWatch {
  const watch: SendWatch = {
    signal,
    dispatched: 0,
    taken: 0,
    sends: 0,
    over: false,
    onSending,
    // A printed signal shows no more of the call than that.
    limits: limits && { deadline: limits.deadline, wallDeadline: limits.wallDeadline },
    ...(idempotencyKeyOf(request) !== undefined && { asked: request }),
  };
  (signal as WatchedSignal)[WATCH] = watch;
  return watch;
}

/** Runs `send`. Within it, only this payment may leave; another request for a payment is refused. */
export function sendWithin<T>(watch: SendWatch, send: () => T): T {
  return AT_WORK_FOR.run(watch.asked && (() => watch), send);
}

export function endWatch(watch: SendWatch): void {
  watch.over = watch.asked !== undefined;
}

/** The watch of a try; undefined for a request that is not the package's. */
export function sendWatchOf(signal: object | undefined): SendWatch | undefined {
  return (signal as WatchedSignal | undefined)?.[WATCH] ?? AT_WORK_FOR.getStore()?.();
}

/** Whether bytes may have left. An unobserved request counts as sent. */
export function mayHaveBeenSent(
  { dispatched, taken, sends, unwatched }: Counts,
  isGuarded: boolean,
): boolean {
  return unwatched === true || sends > 0 || dispatched > taken || (taken === 0 && !isGuarded);
}

/** Whether the answer is from a proxy that let nothing through. */
export function wasAnsweredByProxy(watch: Seen, answer: TransportAnswer): boolean {
  return watch.tunnelRefused === true && !mayHaveBeenSent(watch, true) && sawAnswer(watch, answer);
}

/** Whether only one request may have left and this is its answer: an interceptor may use another client. */
export function answersOnlySend(watch: Seen, answer: TransportAnswer, isGuarded: boolean): boolean {
  // A test has replaced axios.
  if (watch.taken === 0 && !isGuarded) return true;
  return wasSentOnce(watch) && sawAnswer(watch, answer);
}

function wasSentOnce({ dispatched, taken, sends, unwatched, tunnelRefused }: Counts): boolean {
  // An adapter of the application handed it on, perhaps after it had sent it by itself.
  if (unwatched && taken > 0) return false;
  if (taken > 0) return sends === 1 && dispatched <= taken && !tunnelRefused;
  // The adapter is not the package's own, for example a test's.
  return dispatched === 1;
}

function sawAnswer({ answer: seen }: Seen, answer: TransportAnswer): boolean {
  return seen !== undefined && isSameAnswer(answer, seen);
}

/** Whether two answers are the same. An interceptor may parse the body and change other headers. */
function isSameAnswer(answer: TransportAnswer, seen: ReadAnswer): boolean {
  const { httpStatus, text, headers } = readAnswer(answer);
  const isSameText = text === seen.text || (typeof answer.data !== 'string' && text === reprinted(seen.text));
  return (
    isSameText &&
    httpStatus === seen.httpStatus &&
    headers.retryAfter === seen.headers.retryAfter &&
    headers.contentType === seen.headers.contentType &&
    headers.contentEncoding === seen.headers.contentEncoding
  );
}

/** JSON after parsing and writing. */
function reprinted(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Throws if an interceptor changed the identity, the account or the destination of a payment, or if the try is over.
 * Nothing is sent then. An interceptor may add headers.
 */
export function refuseChanged(watch: SendWatch, request: OutgoingRequest): void {
  const { asked, over } = watch;
  if (over) throw new Error('sent again after its end');
  const changed = asked && COMPARED.find(([, valueOf]) => valueOf(request, asked) !== valueOf(asked, asked));
  if (!changed) return;
  watch.changed ??= changed[0];
  throw Object.assign(new Error('changed by an interceptor'), { code: 'REQUEST_CHANGED' });
}

const COMPARED: readonly (readonly [
  what: string,
  valueOf: (request: OutgoingRequest, asked: OutgoingRequest) => string | undefined,
])[] = [
  ['the Idempotency-Key', idempotencyKeyOf],
  ['the X-API-KEY header', ({ headers }) => headerOf(headers, 'x-api-key')],
  ['the X-API-SECRET header', ({ headers }) => headerOf(headers, 'x-api-secret')],
  ['the Authorization header', authorizationOf],
  ['the body', ({ body }) => body],
  ['the method', ({ method }) => method],
  ['the host', ({ origin }) => origin],
  ['the Host header', otherHost],
  ['the path', ({ path }) => path],
  ['the Content-Length', otherLength],
  ['the Transfer-Encoding', ({ headers }) => headerOf(headers, 'transfer-encoding')],
];

function idempotencyKeyOf({ headers }: Pick<OutgoingRequest, 'headers'>): string | undefined {
  return headerOf(headers, 'idempotency-key');
}

/** Undefined if the payment was asked for without one: an interceptor may add that of a proxy before the gateway. */
function authorizationOf({ headers }: OutgoingRequest, asked: OutgoingRequest): string | undefined {
  const ofAccount = headerOf(asked.headers, 'authorization');
  return ofAccount === undefined ? undefined : headerOf(headers, 'authorization');
}

/** The Host header if it names another host than the origin: one server may have several merchants. */
function otherHost({ origin, headers }: OutgoingRequest): string | undefined {
  const host = headerOf(headers, 'host');
  return host === undefined || bare(host) === bare(new URL(origin).host) ? undefined : host;
}

/** Axios names an IPv6 address to a proxy without its brackets. */
function bare(host: string): string {
  return host.toLowerCase().replace(/[[\]]/g, '');
}

/** The Content-Length if it is not that of the body: Node's client would cut the body or wait for more. */
function otherLength({ headers, body = '' }: OutgoingRequest): string | undefined {
  const length = headerOf(headers, 'content-length');
  return length === String(Buffer.byteLength(body)) ? undefined : length;
}

/** A header, in any case; undefined if there is none. */
function headerOf(headers: OutgoingRequest['headers'], wanted: string): string | undefined {
  const names = Object.keys(headers).filter(
    (name) => name.length === wanted.length && name.toLowerCase() === wanted,
  );
  return names.length === 0 ? undefined : names.map((name) => headers[name]).join(', ');
}
