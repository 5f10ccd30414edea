import { type OutcomeEvidence, type ProbeWait } from '../common/vocabulary.js';
import { type AttemptEvent } from './answer/classify-answer.js';
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
  /** Set if a probe may find out what came of the payment: the wait before it. */
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
 * Decides what follows from one try: the table of `docs/money-safety.md` as a pure function.
 * `retry-timing.ts` decides how long a further try waits and whether there is time for it.
 *
 * @param doubt Set if an earlier try of the payment may have arrived without a readable answer: its evidence.
 */
export function decideAfterAttempt(
  kind: CallKind,
  event: AttemptEvent,
  httpStatus: number | undefined,
  doubt: OutcomeEvidence | undefined,
): Decision {
  if (kind === 'read') return decideRead(event, httpStatus);
  // The gateway refused nothing here, so the result of the earlier try counts.
  if (event === 'held-back' && doubt) return unknown(doubt);
  const decision = decidePayment(kind, event, httpStatus);
  return doubt ? afterAmbiguity(decision, doubt) : decision;
}

function decideRead(event: AttemptEvent, httpStatus: number | undefined): Decision {
  switch (event) {
    case 'success':
    case 'echo-mismatch':
      return end('success');
    case 'not-sent':
      return retryElse('unreachable');
    case 'aborted-unsent':
    case 'aborted':
      return end('aborted');
    case 'unlisted-code':
      return isFinalClientError(httpStatus) ? rejected('unlisted') : retryElse('unusable-answer');
    case 'refused':
      return rejected('listed');
    case 'refused-without-code':
      return rejected('unlisted');
    case 'unauthorized':
      return end('authentication');
    case 'held-back':
      return end('rate-limit');
    case 'rate-limited':
      return retryElse('rate-limit');
    case 'redirect':
      return end('redirected');
    default:
      return retryElse('unusable-answer');
  }
}

function decidePayment(kind: CallKind, event: AttemptEvent, httpStatus: number | undefined): Decision {
  switch (event) {
    case 'success':
      return end('success');
    case 'not-sent':
      return retryElse('unreachable');
    case 'aborted-unsent':
      return end('aborted');
    case 'request-changed':
      return end('request-changed');
    case 'refused':
      return rejected('listed');
    case 'refused-without-code':
      return kind === 'collection' ? rejected('unlisted') : unknown('bad-answer');
    case 'unproven-refusal':
      return unknown((httpStatus ?? 0) >= 500 ? 'server-error' : 'bad-answer');
    case 'unauthorized':
      return end('authentication');
    case 'held-back':
      return end('rate-limit');
    case 'rate-limited':
      return retryElse('rate-limit');
    case 'redirect':
      // These two say that the server took the request and has its result elsewhere.
      return httpStatus === 302 || httpStatus === 303 ? unknown('bad-answer') : end('redirected');
    case 'no-answer':
      return probeElse('after-silence', event);
    case 'bad-answer':
    case 'server-error':
      return probeElse('after-answer', event);
    case 'unlisted-code':
      return kind === 'collection' && isFinalClientError(httpStatus)
        ? rejected('unlisted')
        : unknown('unlisted-code');
    case 'aborted':
    case 'echo-mismatch':
    case 'provider-error':
    case 'duplicate-request':
    case 'duplicate-reference':
      return unknown(event);
  }
}

/** A 4xx that is neither a conflict nor a "later". */
function isFinalClientError(httpStatus = 0): boolean {
  return httpStatus >= 400 && httpStatus < 500 && ![408, 409, 425, 429, 499].includes(httpStatus);
}

/**
 * An earlier try may have arrived, so no refusal of a later one settles the call. Drops `probe`: a payment is
 * probed once.
 */
function afterAmbiguity({ retry, verdict }: Decision, doubt: OutcomeEvidence): Decision {
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
