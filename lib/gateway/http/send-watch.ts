import { AsyncLocalStorage } from 'node:async_hooks';
import { type TransportAnswer, type OutgoingRequest } from './http-transport.js';
import { readAnswer, type ReadAnswer } from './send-attempt.js';

/**
 * What is known about the sending of one attempt. The last interceptor of axios and what sends below it write this, the
 * client reads it.
 */
export interface SendWatch {
  /** What was asked for; undefined for a read, which may be changed and sent again. */
  readonly asked?: OutgoingRequest;
  /** Fires when the attempt is given up. An application may put another signal into the request. */
  readonly signal: AbortSignal;
  /** How often axios handed the request to an adapter. */
  dispatched: number;
  /** How often the package's own adapter or transport took it, which says when sending starts. */
  taken: number;
  /** How often the first byte was about to leave. */
  sends: number;
  /** The last answer that was seen to come to what was sent; an interceptor may bring another one. */
  answer?: ReadAnswer;
  /** Set where a proxy refused to open a tunnel: it answers, in the place of the gateway. */
  tunnelRefused?: true;
  /** Set once the attempt was given up or answered: a payment must not leave any more. */
  over: boolean;
  /** What of the request an interceptor changed: that was not sent. */
  changed?: string;
  /** Called at the first of these moments; must not throw. */
  readonly onStart?: (() => void) | undefined;
}

type Counts = Pick<SendWatch, 'dispatched' | 'taken' | 'sends' | 'tunnelRefused'>;
type Seen = Counts & Pick<SendWatch, 'answer'>;

/** The first byte is about to leave. Never taken back. */
export function noteStart(watch: Pick<SendWatch, 'sends' | 'onStart'>): void {
  watch.sends += 1;
  if (watch.sends === 1) watch.onStart?.();
}

/** A property, not a WeakMap: that costs the garbage collector more than the rest of an attempt. */
const WATCH = Symbol('nestjs-payments.send-watch');

type WatchedSignal = object & { [WATCH]?: SendWatch };

/**
 * The payment that an interceptor is at work for, whatever it does to the request. A function, because
 * Node.js shows what is stored here to whoever prints a promise or a timer.
 */
const AT_WORK_FOR = new AsyncLocalStorage<(() => SendWatch) | undefined>();

/** Starts watching the attempt that this signal belongs to. */
export function watchSending(signal: AbortSignal, request: OutgoingRequest, onStart?: () => void): SendWatch {
  const watch: SendWatch = {
    signal,
    dispatched: 0,
    taken: 0,
    sends: 0,
    over: false,
    onStart,
    ...(idempotencyKeyOf(request) !== undefined && { asked: request }),
  };
  (signal as WatchedSignal)[WATCH] = watch;
  return watch;
}

/** Runs what sends the attempt: whatever leaves within it for a payment is this payment, or is refused. */
export function sendWithin<T>(watch: SendWatch, send: () => T): T {
  return AT_WORK_FOR.run(watch.asked && (() => watch), send);
}

/** The attempt was given up or answered. */
export function endWatch(watch: SendWatch): void {
  watch.over = watch.asked !== undefined;
}

/** The watch of an attempt; undefined for a request that is not the package's. */
export function sendWatchOf(signal: object | undefined): SendWatch | undefined {
  return (signal as WatchedSignal | undefined)?.[WATCH] ?? AT_WORK_FOR.getStore()?.();
}

/** Whether bytes may have left. What nobody saw counts as sent. */
export function mayHaveBeenSent({ dispatched, taken, sends }: Counts, isGuarded: boolean): boolean {
  return sends > 0 || dispatched > taken || (taken === 0 && !isGuarded);
}

/** Whether the answer is that of a proxy which let nothing through. */
export function wasAnsweredByProxy(watch: Seen, answer: TransportAnswer): boolean {
  const { dispatched, taken, sends, tunnelRefused } = watch;
  return tunnelRefused === true && sends === 0 && dispatched <= taken && sawAnswer(watch, answer);
}

/**
 * Whether the answer is that to the only request that may have left. Any other one came by another way, as
 * when an interceptor sends again through another client.
 */
export function answersOnlySend(watch: Seen, answer: TransportAnswer, isGuarded: boolean): boolean {
  // Something of a test's in the place of axios.
  if (watch.taken === 0 && !isGuarded) return true;
  return wasSentOnce(watch) && sawAnswer(watch, answer);
}

function wasSentOnce({ dispatched, taken, sends, tunnelRefused }: Counts): boolean {
  if (taken > 0) return sends === 1 && dispatched <= taken && !tunnelRefused;
  // An adapter that is not the package's own: a test's, for example.
  return dispatched === 1;
}

function sawAnswer({ answer: seen }: Seen, answer: TransportAnswer): boolean {
  return seen !== undefined && isSameAnswer(answer, seen);
}

/**
 * Whether an answer is the seen one. An interceptor may have parsed its body, and changed headers that nobody reads.
 */
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

/** JSON as it is written once it was parsed. */
function reprinted(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Throws where an interceptor changed what tells payments apart, or where they go, and where the attempt is
 * over: nothing of it is sent. Headers may be added.
 */
export function refuseChanged(watch: SendWatch, request: OutgoingRequest): void {
  const { asked, over } = watch;
  if (over) throw new Error('sent again after its end');
  const changed = asked && COMPARED.find(([, valueOf]) => valueOf(request) !== valueOf(asked));
  if (!changed) return;
  watch.changed ??= changed[0];
  throw new Error('changed by an interceptor');
}

const COMPARED: readonly (readonly [
  what: string,
  valueOf: (request: OutgoingRequest) => string | undefined,
])[] = [
  ['the Idempotency-Key', idempotencyKeyOf],
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

/** A host that a header names in the place of the one that is connected to: one server may have several merchants. */
function otherHost({ origin, headers }: OutgoingRequest): string | undefined {
  const host = headerOf(headers, 'host');
  return host === undefined || bare(host) === bare(new URL(origin).host) ? undefined : host;
}

/** To a proxy axios names an address of IPv6 without its brackets. */
function bare(host: string): string {
  return host.toLowerCase().replace(/[[\]]/g, '');
}

/** A length that a header gives to a body of another one: Node's client cuts the body, or waits for more of it. */
function otherLength({ headers, body = '' }: OutgoingRequest): string | undefined {
  const length = headerOf(headers, 'content-length');
  return length === String(Buffer.byteLength(body)) ? undefined : length;
}

/** However its name is written; undefined where there is none. */
function headerOf(headers: OutgoingRequest['headers'], wanted: string): string | undefined {
  const names = Object.keys(headers).filter(
    (name) => name.length === wanted.length && name.toLowerCase() === wanted,
  );
  return names.length === 0 ? undefined : names.map((name) => headers[name]).join(', ');
}
