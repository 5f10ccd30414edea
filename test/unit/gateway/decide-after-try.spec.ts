import { describe, expect, it } from 'vitest';
import { type OutcomeEvidence } from '../../../lib/common/vocabulary.js';
import { type TryEvent } from '../../../lib/gateway/answer/classify-answer.js';
import {
  type CallState,
  decideAfterTry,
  type Decision,
  type Doubt,
  type Try,
} from '../../../lib/gateway/decide-after-try.js';
import { type CallKind } from '../../../lib/gateway/gateway-call.js';

/** How a cell of the table reads: `retry → x` tries again and ends in x when it may not; `? y` is an unknown outcome,
 * and `probe` the one further try if the options allow it. */
function written({ retry, verdict, probe }: Decision): string {
  const rejected = verdict.end === 'rejected' && (verdict.proven ? 'rejected' : 'rejected, same key again');
  const end = rejected || (verdict.end === 'unknown' ? `? ${verdict.evidence}` : verdict.end);
  if (probe) return `probe ${probe} → ${end}`;
  return retry ? `retry → ${end}` : end;
}

function cell(kind: CallKind, event: TryEvent, status?: number, doubt?: OutcomeEvidence): string {
  const before: CallState = { answered: false, turnedAway: true, doubt: doubt && { evidence: doubt } };
  const last: Try = { event, resent: false, ...(status && { httpStatus: status }) };
  return written(decideAfterTry(kind, before, last).decision);
}

describe('the decision table of money safety', () => {
  const table: [
    what: string,
    event: TryEvent,
    status: number | undefined,
    cells: [string, string, string],
  ][] = [
    ['aborted before sending', 'aborted-unsent', undefined, ['aborted', 'aborted', 'aborted']],
    [
      'not sent',
      'not-sent',
      undefined,
      ['retry → unreachable', 'retry → unreachable', 'retry → unreachable'],
    ],
    [
      'not sent after the end of the application',
      'stopped',
      undefined,
      ['unreachable', 'unreachable', 'unreachable'],
    ],
    [
      'a request that an interceptor changed',
      'request-changed',
      undefined,
      ['retry → unusable-answer', 'request-changed', 'request-changed'],
    ],
    [
      'no answer',
      'no-answer',
      undefined,
      ['retry → unusable-answer', 'probe after-silence → ? no-answer', 'probe after-silence → ? no-answer'],
    ],
    [
      'an unreadable answer',
      'bad-answer',
      200,
      ['retry → unusable-answer', 'probe after-answer → ? bad-answer', 'probe after-answer → ? bad-answer'],
    ],
    [
      'a server error',
      'server-error',
      502,
      [
        'retry → unusable-answer',
        'probe after-answer → ? server-error',
        'probe after-answer → ? server-error',
      ],
    ],
    ['aborted after sending', 'aborted', undefined, ['aborted', '? aborted', '? aborted']],
    ['success', 'success', 200, ['success', 'success', 'success']],
    ['another echo', 'echo-mismatch', 200, ['success', '? echo-mismatch', '? echo-mismatch']],
    ['a refusal', 'refused', 400, ['rejected', 'rejected', 'rejected']],
    [
      'a refusal without a code',
      'refused-without-code',
      404,
      ['rejected, same key again', 'rejected, same key again', '? bad-answer'],
    ],
    [
      'a refusal that is not proved',
      'unproven-refusal',
      400,
      ['retry → unusable-answer', '? bad-answer', '? bad-answer'],
    ],
    [
      'a refusal by a server that failed',
      'unproven-refusal',
      500,
      ['retry → unusable-answer', '? server-error', '? server-error'],
    ],
    [
      'an unlisted code with 422',
      'unlisted-code',
      422,
      ['rejected, same key again', 'rejected, same key again', '? unlisted-code'],
    ],
    [
      'an unlisted code with 408',
      'unlisted-code',
      408,
      ['retry → unusable-answer', '? unlisted-code', '? unlisted-code'],
    ],
    [
      'an unlisted code with 409',
      'unlisted-code',
      409,
      ['retry → unusable-answer', '? unlisted-code', '? unlisted-code'],
    ],
    [
      'an unlisted code with 200',
      'unlisted-code',
      200,
      ['retry → unusable-answer', '? unlisted-code', '? unlisted-code'],
    ],
    [
      'an unlisted code with 500',
      'unlisted-code',
      500,
      ['retry → unusable-answer', '? unlisted-code', '? unlisted-code'],
    ],
    [
      'a provider error',
      'provider-error',
      400,
      ['retry → unusable-answer', '? provider-error', '? provider-error'],
    ],
    [
      'a used key',
      'duplicate-request',
      409,
      ['retry → unusable-answer', '? duplicate-request', '? duplicate-request'],
    ],
    [
      'a used reference',
      'duplicate-reference',
      409,
      ['retry → unusable-answer', '? duplicate-reference', '? duplicate-reference'],
    ],
    ['refused credentials', 'unauthorized', 401, ['authentication', 'authentication', 'authentication']],
    [
      'too many requests',
      'rate-limited',
      429,
      ['retry → rate-limit', 'retry → rate-limit', 'retry → rate-limit'],
    ],
    [
      'held back after a 429 to another call',
      'held-back',
      undefined,
      ['rate-limit', 'rate-limit', 'rate-limit'],
    ],
    ['redirect 301', 'redirect', 301, ['redirected', 'redirected', 'redirected']],
    ['redirect 302', 'redirect', 302, ['redirected', '? bad-answer', '? bad-answer']],
    ['redirect 303', 'redirect', 303, ['redirected', '? bad-answer', '? bad-answer']],
    ['redirect 307', 'redirect', 307, ['redirected', 'redirected', 'redirected']],
    ['redirect 308', 'redirect', 308, ['redirected', 'redirected', 'redirected']],
  ];

  for (const [what, event, status, [read, collection, disbursement]] of table) {
    it(`${what}: a read is ${read}`, () => {
      expect(cell('read', event, status)).toBe(read);
    });
    it(`${what}: a collection is ${collection}`, () => {
      expect(cell('collection', event, status)).toBe(collection);
    });
    it(`${what}: a disbursement is ${disbursement}`, () => {
      expect(cell('disbursement', event, status)).toBe(disbursement);
    });
  }
});

describe('after an earlier try of the same payment that was answered with 502', () => {
  const table: [event: TryEvent, status: number | undefined, cell: string][] = [
    ['success', 200, 'success'],
    ['refused', 400, '? refused-after-ambiguity'],
    ['refused-without-code', 404, '? refused-after-ambiguity'],
    ['unproven-refusal', 400, '? bad-answer'],
    ['unauthorized', 401, '? refused-after-ambiguity'],
    ['redirect', 301, '? refused-after-ambiguity'],
    ['unlisted-code', 400, '? refused-after-ambiguity'],
    ['rate-limited', 429, 'retry → ? refused-after-ambiguity'],
    ['held-back', undefined, '? server-error'],
    ['not-sent', undefined, 'retry → ? server-error'],
    ['stopped', undefined, '? server-error'],
    ['request-changed', undefined, '? server-error'],
    ['aborted-unsent', undefined, '? aborted'],
    ['duplicate-request', 409, '? duplicate-request'],
    ['duplicate-reference', 409, '? duplicate-reference'],
    ['provider-error', 400, '? provider-error'],
    ['server-error', 500, '? server-error'],
    ['no-answer', undefined, '? no-answer'],
    ['bad-answer', 200, '? bad-answer'],
    ['echo-mismatch', 200, '? echo-mismatch'],
  ];

  for (const [event, status, expected] of table) {
    it(`${event} makes a collection ${expected}`, () => {
      expect(cell('collection', event, status, 'server-error')).toBe(expected);
    });
  }

  it('an unlisted code keeps its own evidence for a disbursement', () => {
    expect(cell('disbursement', 'unlisted-code', 400, 'server-error')).toBe('? unlisted-code');
  });

  it('nobody looked at a payment that was only turned away, unless an interceptor sent it before', () => {
    const before: CallState = { answered: false, turnedAway: true, doubt: undefined };
    const after = (last: Omit<Try, 'resent'>, resent = false): boolean =>
      decideAfterTry('collection', before, { ...last, resent }).state.turnedAway;
    expect(after({ event: 'rate-limited', turnedAway: true })).toBe(true);
    expect(after({ event: 'not-sent' })).toBe(true);
    expect(after({ event: 'rate-limited' })).toBe(false);
    expect(after({ event: 'rate-limited', turnedAway: true }, true)).toBe(false);
    expect(after({ event: 'not-sent' }, true)).toBe(false);
  });

  it('a read continues as before, since it moves no money', () => {
    expect(cell('read', 'refused', 400, 'server-error')).toBe('rejected');
  });
});

describe('what is known after the tries of a call', () => {
  type Tried = TryEvent | { readonly resent: TryEvent };
  const PROBED: Doubt = { evidence: 'interrupted', probe: 'after-silence' };

  /** The decision on the last try, and what is known after it. */
  function after(kind: CallKind, tries: readonly Tried[], doubt?: Doubt): [decision: string, state: string] {
    let state: CallState = { answered: false, turnedAway: true, doubt };
    let decision = '';
    for (const tried of tries) {
      const [event, resent] = typeof tried === 'string' ? [tried, false] : [tried.resent, true];
      const next = decideAfterTry(kind, state, { event, resent });
      decision = written(next.decision);
      state = next.state;
    }
    const known = state.doubt ? `? ${state.doubt.evidence}` : 'no doubt';
    const probe = state.doubt?.probe ? `, probe ${state.doubt.probe}` : '';
    return [decision, `${state.answered ? 'answered' : 'unanswered'}, ${known}${probe}`];
  }

  it.each<[tries: Tried[], decision: string, state: string]>([
    [['not-sent'], 'retry → unreachable', 'unanswered, no doubt'],
    [['stopped'], 'unreachable', 'unanswered, no doubt'],
    [['no-answer', 'stopped'], '? no-answer', 'answered, ? no-answer, probe after-silence'],
    [['held-back'], 'rate-limit', 'unanswered, no doubt'],
    [['rate-limited'], 'retry → rate-limit', 'answered, no doubt'],
    [['rate-limited', 'not-sent'], 'retry → unreachable', 'answered, no doubt'],
    [['not-sent', 'refused'], 'rejected', 'answered, no doubt'],
    [['rate-limited', 'refused'], 'rejected, same key again', 'answered, no doubt'],
    [['rate-limited', 'not-sent', 'refused'], 'rejected, same key again', 'answered, no doubt'],
    [['rate-limited', 'success'], 'success', 'answered, no doubt'],
    [['unproven-refusal'], '? bad-answer', 'answered, ? bad-answer'],
    [['no-answer'], 'probe after-silence → ? no-answer', 'answered, ? no-answer, probe after-silence'],
    [['bad-answer'], 'probe after-answer → ? bad-answer', 'answered, ? bad-answer, probe after-answer'],
    [['no-answer', 'not-sent'], 'retry → ? no-answer', 'answered, ? no-answer, probe after-silence'],
    [['no-answer', 'held-back'], '? no-answer', 'answered, ? no-answer, probe after-silence'],
    [['no-answer', 'aborted-unsent'], '? aborted', 'answered, ? no-answer, probe after-silence'],
    [
      ['no-answer', 'rate-limited'],
      'retry → ? refused-after-ambiguity',
      'answered, ? no-answer, probe after-silence',
    ],
    [['no-answer', 'server-error'], '? server-error', 'answered, ? no-answer'],
    [['no-answer', 'refused'], '? refused-after-ambiguity', 'answered, ? no-answer'],
    [['no-answer', 'rate-limited', 'refused'], '? refused-after-ambiguity', 'answered, ? no-answer'],
    [['no-answer', 'success'], 'success', 'answered, ? no-answer'],
    [[{ resent: 'success' }], 'success', 'answered, ? no-answer'],
    [[{ resent: 'refused' }], '? refused-after-ambiguity', 'answered, ? no-answer'],
    [[{ resent: 'server-error' }], '? server-error', 'answered, ? no-answer'],
    [[{ resent: 'rate-limited' }], 'retry → ? refused-after-ambiguity', 'answered, ? no-answer'],
    [['bad-answer', { resent: 'refused' }], '? refused-after-ambiguity', 'answered, ? bad-answer'],
  ])('%j make a collection "%s", and leave it %s', (tries, decision, state) => {
    expect(after('collection', tries)).toEqual([decision, state]);
  });

  it.each<[last: TryEvent, decision: string, state: string]>([
    ['not-sent', 'retry → ? interrupted', 'unanswered, ? interrupted, probe after-silence'],
    ['rate-limited', 'retry → ? refused-after-ambiguity', 'answered, ? interrupted, probe after-silence'],
    ['no-answer', '? no-answer', 'answered, ? interrupted'],
    ['duplicate-request', '? duplicate-request', 'answered, ? interrupted'],
    ['success', 'success', 'answered, ? interrupted'],
  ])('%s makes a call that probes a payment "%s", and leaves it %s', (last, decision, state) => {
    expect(after('disbursement', [last], PROBED)).toEqual([decision, state]);
  });

  it.each<[tries: Tried[], decision: string]>([
    [['no-answer', 'refused'], 'rejected, same key again'],
    [['not-sent', 'refused'], 'rejected'],
    [[{ resent: 'refused' }], 'rejected'],
  ])('%j make a read "%s", and leave no doubt', (tries, decision) => {
    expect(after('read', tries)).toEqual([decision, 'answered, no doubt']);
  });
});
