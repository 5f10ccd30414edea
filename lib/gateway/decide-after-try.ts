import { type OutcomeEvidence, type ProbeWait } from '../common/vocabulary.js';
import { type TryEvent } from './answer/classify-answer.js';
import { phaseOf } from './answer/interpret-try.js';
import { type CallKind } from './gateway-call.js';

type PlainEnd =
  | 'success'
  | 'authentication'
  | 'rate-limit'
  | 'redirected'
  | 'request-changed'
  | 'unreachable'
  | 'unusable-answer'
  | 'aborted';

/** What a call ends in. A `CallResult` carries the same words in its `end`. */
export type Verdict =
  | { readonly end: 'unknown'; readonly evidence: OutcomeEvidence }
  | {
      readonly end: 'rejected';
      /**
       * Whether it is certain that no money moved: a listed code or field messages refused, and no earlier
       * try of the call was answered. Only then may the next attempt have another key.
       */
      readonly proven: boolean;
    }
  | { [End in PlainEnd]: { readonly end: End } }[PlainEnd];

/** Whether to try again, and the verdict if there is no further try. */
export interface Decision {
  readonly retry: boolean;
  readonly verdict: Verdict;
  /** Set if a probe may find out what happened to the payment: the wait before it. */
  readonly probe?: ProbeWait;
}

const end = (plain: PlainEnd): Decision => ({ retry: false, verdict: { end: plain } });
const rejected = (by: 'listed' | 'unlisted'): Decision => ({
  retry: false,
  verdict: { end: 'rejected', proven: by === 'listed' },
});
const retryElse = (plain: PlainEnd): Decision => ({ retry: true, verdict: { end: plain } });
const unknown = (evidence: OutcomeEvidence): Decision => ({
  retry: false,
  verdict: { end: 'unknown', evidence },
});
const probeElse = (probe: ProbeWait, evidence: OutcomeEvidence): Decision => ({
  ...unknown(evidence),
  probe,
});

/**
 * What follows from each event, for one kind of call; `docs/money-safety.md` says the same in words. A cell may
 * depend on the status, 0 if no answer came.
 */
type Column = Readonly<Record<TryEvent, Decision | ((httpStatus: number) => Decision)>>;

const READ: Column = {
  success: end('success'),
  'echo-mismatch': end('success'),
  'not-sent': retryElse('unreachable'),
  stopped: end('unreachable'),
  'request-changed': retryElse('unusable-answer'),
  'aborted-unsent': end('aborted'),
  aborted: end('aborted'),
  'no-answer': retryElse('unusable-answer'),
  'bad-answer': retryElse('unusable-answer'),
  'server-error': retryElse('unusable-answer'),
  refused: rejected('listed'),
  'refused-without-code': rejected('unlisted'),
  'unproven-refusal': retryElse('unusable-answer'),
  'unlisted-code': (httpStatus) =>
    isFinalClientError(httpStatus) ? rejected('unlisted') : retryElse('unusable-answer'),
  'provider-error': retryElse('unusable-answer'),
  'duplicate-request': retryElse('unusable-answer'),
  'duplicate-reference': retryElse('unusable-answer'),
  unauthorized: end('authentication'),
  'rate-limited': retryElse('rate-limit'),
  'held-back': end('rate-limit'),
  redirect: end('redirected'),
};

const PAYMENT: Column = {
  success: end('success'),
  'echo-mismatch': unknown('echo-mismatch'),
  'not-sent': retryElse('unreachable'),
  stopped: end('unreachable'),
  'request-changed': end('request-changed'),
  'aborted-unsent': end('aborted'),
  aborted: unknown('aborted'),
  'no-answer': probeElse('after-silence', 'no-answer'),
  'bad-answer': probeElse('after-answer', 'bad-answer'),
  'server-error': probeElse('after-answer', 'server-error'),
  refused: rejected('listed'),
  'refused-without-code': unknown('bad-answer'),
  'unproven-refusal': (httpStatus) => unknown(httpStatus >= 500 ? 'server-error' : 'bad-answer'),
  'unlisted-code': unknown('unlisted-code'),
  'provider-error': unknown('provider-error'),
  'duplicate-request': unknown('duplicate-request'),
  'duplicate-reference': unknown('duplicate-reference'),
  unauthorized: end('authentication'),
  'rate-limited': retryElse('rate-limit'),
  'held-back': end('rate-limit'),
  // 302 and 303 say that the server took the request and has its result elsewhere.
  redirect: (httpStatus) =>
    httpStatus === 302 || httpStatus === 303 ? unknown('bad-answer') : end('redirected'),
};

const COLUMNS: Readonly<Record<CallKind, Column>> = {
  read: READ,
  disbursement: PAYMENT,
  // What nobody has listed refuses a collection, which keeps its key, and leaves a payout unknown.
  collection: {
    ...PAYMENT,
    'refused-without-code': rejected('unlisted'),
    'unlisted-code': (httpStatus) =>
      isFinalClientError(httpStatus) ? rejected('unlisted') : unknown('unlisted-code'),
  },
};

/** A 4xx that is neither a conflict nor a "later". */
function isFinalClientError(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500 && ![408, 409, 425, 429, 499].includes(httpStatus);
}

/** Why the outcome of the tries so far is unknown. */
export interface Doubt {
  readonly evidence: OutcomeEvidence;
  /** Set while one probe is allowed: the wait before it. */
  readonly probe?: ProbeWait | undefined;
}

/** The tries of a payment before the call that probes it. */
export type EarlierTries = Doubt & { readonly probe: ProbeWait };

/** What is known of a call after its tries so far. */
export interface CallState {
  /** Whether a try was answered, or may have been. */
  readonly answered: boolean;
  /** Whether every answer only turned the request away: nobody looked at the payment. */
  readonly turnedAway: boolean;
  /** A call that probes begins with the doubt about its payment. */
  readonly doubt: Doubt | undefined;
}

/** One try, as far as the decision depends on it. */
export interface Try {
  readonly event: TryEvent;
  readonly httpStatus?: number | undefined;
  /** Whether the answer only turned the request away. */
  readonly turnedAway?: true | undefined;
  /** Whether an interceptor sent another request before. */
  readonly resent: boolean;
}

/**
 * Decides what follows from one try, by the table above and by the tries before. `wait-before-try.ts` says how long a
 * further try waits and whether there is time for it.
 */
export function decideAfterTry(
  kind: CallKind,
  { answered, turnedAway, doubt: earlier }: CallState,
  last: Try,
): { readonly decision: Decision; readonly state: CallState } {
  // An interceptor's own request may have arrived, like an earlier try of this call.
  const doubt = earlier ?? (last.resent && kind !== 'read' ? { evidence: 'no-answer' } : undefined);
  const byTable = lookUp(kind, last);
  const decision = doubt && kind !== 'read' ? afterAmbiguity(byTable, last.event, doubt.evidence) : byTable;
  return {
    decision: answered ? afterAnswer(decision) : decision,
    state: {
      answered: answered || wasSent(last),
      turnedAway: turnedAway && !wasSeen(last),
      doubt: doubtAfter(doubt, last, decision),
    },
  };
}

function wasSent({ event }: Try): boolean {
  return phaseOf(event) !== 'not-sent';
}

/** Whether somebody may have looked at the payment. */
function wasSeen(last: Try): boolean {
  return last.resent || (wasSent(last) && !last.turnedAway);
}

function lookUp(kind: CallKind, { event, httpStatus = 0 }: Try): Decision {
  const cell = COLUMNS[kind][event];
  return typeof cell === 'function' ? cell(httpStatus) : cell;
}

/**
 * An earlier try may have arrived, so no refusal of a later one settles the call. Drops `probe`: a payment is
 * probed once.
 */
function afterAmbiguity({ retry, verdict }: Decision, event: TryEvent, doubt: OutcomeEvidence): Decision {
  // The gateway refused nothing here, so the result of the earlier try counts.
  if (event === 'held-back') return unknown(doubt);
  switch (verdict.end) {
    case 'success':
    case 'unknown':
      return { retry, verdict };
    case 'unreachable':
    case 'request-changed':
      return { retry, verdict: { end: 'unknown', evidence: doubt } };
    case 'aborted':
      return { retry, verdict: { end: 'unknown', evidence: 'aborted' } };
    default:
      return { retry, verdict: { end: 'unknown', evidence: 'refused-after-ambiguity' } };
  }
}

/** The first ambiguous try allows one probe. The next try that was sent uses it up, unless its answer is 429. */
function doubtAfter(doubt: Doubt | undefined, last: Try, { verdict, probe }: Decision): Doubt | undefined {
  if (!doubt) return verdict.end === 'unknown' ? { evidence: verdict.evidence, probe } : undefined;
  const isUsedUp = wasSent(last) && last.event !== 'rate-limited';
  return isUsedUp ? { evidence: doubt.evidence } : doubt;
}

/** If an earlier try was answered, even with 429, a refusal does not prove that it made nothing. */
function afterAnswer(decision: Decision): Decision {
  const isRefused = decision.verdict.end === 'rejected';
  return isRefused ? { ...decision, verdict: { end: 'rejected', proven: false } } : decision;
}
