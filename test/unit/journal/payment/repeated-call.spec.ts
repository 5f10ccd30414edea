import { describe, expect, it } from 'vitest';
import { type JournalRecord, type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';
import {
  type ProbeRules,
  asksForAnotherKey,
  attemptAgeMs,
  decideRepeatedCall,
  isSendable,
  maySend,
  type RequestedPayment,
} from '../../../../lib/journal/payment/repeated-call.js';
import { SEALED, SEALED_PROBLEM, storedRecord } from '../../../support/stored-record.js';

const KEY = storedRecord().record.idempotencyKey;
const SAME: RequestedPayment = { bodyHash: '1:abc' };
const OTHER_BODY: RequestedPayment = { bodyHash: '1:other' };
const OTHER_KEY: RequestedPayment = { ...SAME, idempotencyKey: 'another-key' };
const HIGHER_ATTEMPT: RequestedPayment = { ...SAME, attempt: 2 };

const RULES: ProbeRules = {
  baseUrl: 'https://gateway.example/api/v1',
  probe: { collection: { afterAnswerMs: 2_000, afterSilenceMs: 15_000 }, disbursement: undefined },
  recoveryWindowMs: 900_000,
};

const MINUTE = 60_000;
const inFlight = storedRecord({}, { leaseLeftMs: MINUTE });
const interrupted = storedRecord({}, { ageMs: 2 * MINUTE, idleMs: 2 * MINUTE });
const ELSEWHERE = { baseUrl: 'https://other.example/api/v1' } as const;
const sentElsewhere = storedRecord(ELSEWHERE, { ageMs: 2 * MINUTE, idleMs: 2 * MINUTE });
const unknown = (change: Partial<JournalRecord> = {}, idleMs = 0): StoredJournalRecord =>
  storedRecord({ state: 'unknown', evidence: 'no-answer', ...change }, { idleMs, ageMs: idleMs });
const planned = (change: Partial<JournalRecord> = {}): StoredJournalRecord =>
  storedRecord({ state: 'planned', ...change });
const accepted = storedRecord({ state: 'accepted', answer: '{}' });
const settled = (change: Partial<JournalRecord>): StoredJournalRecord =>
  storedRecord({ state: 'settled', settledBy: 'webhook', ...change });
const rejected = storedRecord({ state: 'rejected' });

/** As `PaymentsJournal.erase()` leaves a payment. */
const ERASED = { erased: true, bodyHash: '' } as const;

const unlisted = storedRecord({ state: 'rejected', keepsKey: true, attempt: 3 });

const begin = (attempt: number): object => ({ act: 'begin', attempt });
const doubt = (evidence: string): object => ({ act: 'unknown', evidence });
const refuse = (because: string): object => ({ act: 'refuse', because });
const REPEAT = { act: 'repeat-answer' };
const PROBE = { act: 'probe' };
const SEND = { act: 'send-planned' };

/** Only the hash of a payment that the gateway has not accepted must be sealed for sure. */
const sealed = ({ record, ...around }: StoredJournalRecord): StoredJournalRecord => ({
  ...around,
  record: { ...record, bodyHash: SEALED },
});

/** An account without the option `encryption` can compare none of them. */
describe('the table of repeated calls of a payment that another process has sealed', () => {
  it.each<[cell: string, StoredJournalRecord]>([
    ['in flight elsewhere', inFlight],
    ['interrupted', interrupted],
    ['planned', planned()],
    ['accepted', accepted],
    ['unknown', unknown({}, MINUTE)],
    ['rejected', rejected],
    ['rejected without a listed code', unlisted],
    ['settled as success', settled({ outcome: 'success' })],
    ['settled as paid', settled({ outcome: 'paid' })],
    ['ended failed', settled({ outcome: 'failed' })],
    ['called failed by an operator', settled({ outcome: 'failed', settledBy: 'operator' })],
  ])('%s: unknown, whatever is asked', (_, existing) => {
    for (const asked of [SAME, OTHER_BODY, OTHER_KEY, HIGHER_ATTEMPT, { ...SAME, enlisted: true as const }]) {
      expect(decideRepeatedCall(sealed(existing), asked, RULES)).toEqual({
        ...doubt('interrupted'),
        damaged: SEALED_PROBLEM,
      });
      expect(maySend(sealed(existing), asked, RULES)).toBe(false);
    }
  });

  it('sends none of them', () => {
    expect(isSendable(planned())).toBe(true);
    expect(isSendable(sealed(planned()))).toBe(false);
  });
});

describe('the table of repeated calls', () => {
  const table: [cell: string, StoredJournalRecord, RequestedPayment, object][] = [
    ['in flight elsewhere: unknown', inFlight, SAME, doubt('in-flight')],
    [
      'in flight elsewhere: its own key changes nothing',
      inFlight,
      { ...SAME, idempotencyKey: KEY },
      doubt('in-flight'),
    ],
    ['in flight elsewhere: another body is refused', inFlight, OTHER_BODY, refuse('another-payment')],
    ['in flight elsewhere: another key sends nothing', inFlight, OTHER_KEY, doubt('in-flight')],
    ['in flight elsewhere: a higher attempt sends nothing', inFlight, HIGHER_ATTEMPT, doubt('in-flight')],

    ['interrupted: the probe is due', interrupted, SAME, PROBE],
    ['interrupted: another key is no probe', interrupted, OTHER_KEY, doubt('interrupted')],
    ['interrupted: another body is refused', interrupted, OTHER_BODY, refuse('another-payment')],
    [
      'interrupted payout: unknown, since no probe is configured',
      storedRecord({ family: 'disbursement' }, { ageMs: 2 * MINUTE, idleMs: 2 * MINUTE }),
      SAME,
      doubt('interrupted'),
    ],

    ['planned: it is sent', planned(), SAME, SEND],
    [
      'planned: it is sent for its own attempt and key',
      planned(),
      { ...SAME, attempt: 1, idempotencyKey: KEY },
      SEND,
    ],
    ['planned: also for who enlisted it', planned(), { ...SAME, enlisted: true }, SEND],
    ['planned: another body is refused', planned(), OTHER_BODY, refuse('another-payment')],
    ['planned: another key is refused', planned(), OTHER_KEY, refuse('another-key')],
    ['planned: a higher attempt is refused', planned(), HIGHER_ATTEMPT, refuse('another-key')],
    [
      'planned: a request that is cut off is not sent',
      planned({ body: '{"refer' }),
      SAME,
      doubt('interrupted'),
    ],
    [
      'planned: nothing is sent that the gateway says it has',
      planned({ acknowledged: true }),
      SAME,
      doubt('interrupted'),
    ],
    ['planned: somebody holds it', { ...planned(), leaseLeftMs: 1 }, SAME, doubt('interrupted')],
    [
      'planned, and damaged: unknown',
      { ...planned(), damaged: 'no JSON' },
      SAME,
      { ...doubt('interrupted'), damaged: 'no JSON' },
    ],

    ['accepted: the stored record', accepted, SAME, REPEAT],
    ['accepted: the stored record for its own attempt', accepted, { ...SAME, attempt: 1 }, REPEAT],
    ['accepted: another body is refused', accepted, OTHER_BODY, refuse('another-payment')],
    ['accepted: another key is refused', accepted, OTHER_KEY, refuse('another-key')],
    ['accepted: a higher attempt is refused', accepted, HIGHER_ATTEMPT, refuse('another-key')],

    ['settled as success: the stored record', settled({ outcome: 'success' }), SAME, REPEAT],
    ['settled as paid: the stored record', settled({ outcome: 'paid' }), SAME, REPEAT],
    [
      'settled as success: another body is refused',
      settled({ outcome: 'success' }),
      OTHER_BODY,
      refuse('another-payment'),
    ],
    [
      'settled as success: another key is refused',
      settled({ outcome: 'success' }),
      OTHER_KEY,
      refuse('another-key'),
    ],

    ['unknown: the same error', unknown({ evidence: 'server-error' }), SAME, doubt('server-error')],
    ['unknown: another body is refused', unknown(), OTHER_BODY, refuse('another-payment')],
    ['unknown: another key gives the same error', unknown({}, MINUTE), OTHER_KEY, doubt('no-answer')],
    [
      'unknown: a higher attempt gives the same error',
      unknown({}, MINUTE),
      HIGHER_ATTEMPT,
      doubt('no-answer'),
    ],
    ['unknown: not due yet after silence', unknown({}, 14_999), SAME, doubt('no-answer')],
    ['unknown: due after silence', unknown({}, 15_000), SAME, PROBE],
    ['unknown: due at the gateway that got it', unknown({ baseUrl: RULES.baseUrl }, 15_000), SAME, PROBE],
    ['unknown: due, and sent to another gateway', unknown(ELSEWHERE, 15_000), SAME, doubt('no-answer')],
    ['interrupted: due, and sent to another gateway', sentElsewhere, SAME, doubt('interrupted')],
    ['unknown: due sooner after an answer', unknown({ probe: 'after-answer' }, 2_000), SAME, PROBE],
    [
      'unknown: not due yet after an answer',
      unknown({ probe: 'after-answer' }, 1_999),
      SAME,
      doubt('no-answer'),
    ],
    [
      'unknown: nothing is sent again that the gateway says it has',
      unknown({ acknowledged: true }, MINUTE),
      SAME,
      doubt('no-answer'),
    ],
    ['unknown: too old for a probe', unknown({}, 900_001), SAME, doubt('no-answer')],
    [
      'unknown: too old by the clock of the process that sent it',
      unknown({ begunAtByProcess: Date.now() - 900_001 }, 600_000),
      SAME,
      doubt('no-answer'),
    ],
    [
      'unknown: its one probe is being made elsewhere',
      { ...unknown({}, MINUTE), leaseLeftMs: 1 },
      SAME,
      doubt('no-answer'),
    ],
    [
      'unknown payout: the same error, since no probe is configured',
      unknown({ family: 'disbursement' }, MINUTE),
      SAME,
      doubt('no-answer'),
    ],

    [
      'unknown: a request that is cut off is not sent',
      unknown({ body: '{"reference":' }, MINUTE),
      SAME,
      doubt('no-answer'),
    ],
    [
      'unknown: an operation of a newer version is not sent',
      unknown({ operation: 'collection.card' as JournalRecord['operation'] }, MINUTE),
      SAME,
      doubt('no-answer'),
    ],
    [
      'a state of a newer version: unknown',
      unknown({ state: 'on-hold' as JournalRecord['state'] }, MINUTE),
      SAME,
      doubt('no-answer'),
    ],
    [
      'refused, as far as a damaged entry says: unknown',
      { ...rejected, damaged: 'its record is no JSON object' },
      SAME,
      { ...doubt('interrupted'), damaged: 'its record is no JSON object' },
    ],

    [
      'rejected: who enlisted it begins no other attempt',
      rejected,
      { ...SAME, enlisted: true },
      { act: 'refused' },
    ],
    [
      'called failed by an operator: who enlisted it begins no other attempt',
      settled({ outcome: 'failed', settledBy: 'operator' }),
      { ...SAME, enlisted: true },
      refuse('ended'),
    ],
    ['rejected: the next attempt', rejected, SAME, begin(2)],
    ['rejected: the next attempt may have another body', rejected, OTHER_BODY, begin(2)],
    ['rejected: the next attempt may have another key', rejected, OTHER_KEY, begin(2)],
    ['rejected: the caller may count along', rejected, HIGHER_ATTEMPT, begin(2)],
    [
      'rejected at the largest attempt: no other attempt',
      storedRecord({ state: 'rejected', attempt: 2_147_483_647 }),
      SAME,
      refuse('ended'),
    ],
    [
      'rejected: the refused attempt itself is not repeated',
      rejected,
      { ...SAME, attempt: 1 },
      { act: 'refuse-attempt', next: 2 },
    ],
    [
      'rejected: the key of the refused attempt carries no other one',
      rejected,
      { ...OTHER_BODY, idempotencyKey: KEY },
      { act: 'refuse-key' },
    ],
    [
      'called failed by an operator: the key of that attempt carries no other one',
      settled({ outcome: 'failed', settledBy: 'operator' }),
      { ...SAME, idempotencyKey: KEY },
      { act: 'refuse-key' },
    ],
    [
      'called failed by an operator after a refusal without a listed code: the next attempt',
      settled({ outcome: 'failed', settledBy: 'operator', keepsKey: true }),
      OTHER_BODY,
      begin(2),
    ],
    [
      'accepted after a refusal without a listed code: the stored answer',
      { ...accepted, record: { ...accepted.record, keepsKey: true } },
      SAME,
      REPEAT,
    ],

    [
      'rejected without a listed code: the same attempt with its key',
      unlisted,
      SAME,
      { act: 'begin', attempt: 3, idempotencyKey: KEY },
    ],
    [
      'rejected without a listed code: the caller may name both',
      unlisted,
      { ...SAME, attempt: 3, idempotencyKey: KEY },
      { act: 'begin', attempt: 3, idempotencyKey: KEY },
    ],
    [
      'rejected without a listed code: another body is refused',
      unlisted,
      OTHER_BODY,
      refuse('unlisted-refusal'),
    ],
    [
      'rejected without a listed code: another key is refused',
      unlisted,
      OTHER_KEY,
      refuse('unlisted-refusal'),
    ],
    [
      'rejected without a listed code: a higher attempt is refused',
      unlisted,
      { ...SAME, attempt: 4 },
      refuse('unlisted-refusal'),
    ],
    [
      'rejected without a listed code, and its call may still run: unknown',
      { ...unlisted, leaseLeftMs: 1 },
      SAME,
      doubt('in-flight'),
    ],

    [
      'rejected and erased: no other attempt',
      storedRecord({ state: 'rejected', ...ERASED }),
      SAME,
      refuse('ended'),
    ],
    [
      'rejected and erased: the caller may not count along',
      storedRecord({ state: 'rejected', ...ERASED }),
      HIGHER_ATTEMPT,
      refuse('ended'),
    ],
    [
      'rejected and erased: nor may who enlisted it send it',
      storedRecord({ state: 'rejected', ...ERASED }),
      { ...SAME, enlisted: true },
      refuse('ended'),
    ],
    [
      'called failed by an operator and erased: no other attempt',
      settled({ outcome: 'failed', settledBy: 'operator', ...ERASED }),
      SAME,
      refuse('ended'),
    ],
    [
      'made and erased: nobody can compare it',
      settled({ outcome: 'success', ...ERASED }),
      SAME,
      refuse('erased'),
    ],

    ['ended failed: use a new reference', settled({ outcome: 'failed' }), SAME, refuse('ended')],
    ['ended cancelled: use a new reference', settled({ outcome: 'cancelled' }), SAME, refuse('ended')],
    ['ended expired: use a new reference', settled({ outcome: 'expired' }), SAME, refuse('ended')],
    ['ended failed: another body too', settled({ outcome: 'failed' }), OTHER_BODY, refuse('ended')],
    [
      'called failed by an operator, and never accepted: the next attempt',
      settled({ outcome: 'failed', settledBy: 'operator' }),
      OTHER_BODY,
      begin(2),
    ],
    [
      'called failed by an operator while its call may still be running: unknown',
      storedRecord({ state: 'settled', outcome: 'failed', settledBy: 'operator' }, { leaseLeftMs: MINUTE }),
      SAME,
      doubt('in-flight'),
    ],
    [
      'called failed by an operator after the gateway accepted it: use a new reference',
      settled({ outcome: 'failed', settledBy: 'operator', answer: '{}' }),
      SAME,
      refuse('ended'),
    ],
    [
      'called failed by an operator after a status answer acknowledged it: use a new reference',
      settled({ outcome: 'failed', settledBy: 'operator', acknowledged: true }),
      SAME,
      refuse('ended'),
    ],
    [
      'called cancelled by an operator: use a new reference',
      settled({ outcome: 'cancelled', settledBy: 'operator' }),
      SAME,
      refuse('ended'),
    ],
  ];

  it.each(table)('%s', (_, existing, asked, expected) => {
    expect(decideRepeatedCall(existing, asked, RULES)).toEqual(expected);
  });

  it('unknown: its one probe is spent', () => {
    const { probe: _spent, ...record } = unknown().record;
    expect(decideRepeatedCall({ ...unknown({}, MINUTE), record }, SAME, RULES)).toEqual(doubt('no-answer'));
  });

  it('unknown: its request was erased', () => {
    const { body: _erased, ...record } = unknown().record;
    expect(decideRepeatedCall({ ...unknown({}, MINUTE), record }, SAME, RULES)).toEqual(doubt('no-answer'));
  });
});

describe('who joins a call that is under way', () => {
  it.each<
    [what: string, asked: Partial<RequestedPayment>, underWay: Partial<RequestedPayment>, another: boolean]
  >([
    ['insists on nothing', {}, {}, false],
    ['insists on nothing, if the call has a key', {}, { idempotencyKey: 'its-key' }, false],
    ['insists on the key of the call', { idempotencyKey: 'its-key' }, { idempotencyKey: 'its-key' }, false],
    ['insists on a key, if the call has none of its own', { idempotencyKey: 'own' }, {}, true],
    ['insists on another key', { idempotencyKey: 'own' }, { idempotencyKey: 'its-key' }, true],
    ['names the first attempt, which the call is', { attempt: 1 }, {}, false],
    ['names the second attempt, if the call is the first', { attempt: 2 }, {}, true],
    ['names the attempt of the call', { attempt: 2 }, { attempt: 2 }, false],
    ['names an earlier attempt', { attempt: 1 }, { attempt: 2 }, false],
    ['names a later attempt', { attempt: 3 }, { attempt: 2 }, true],
    ['names no attempt, if the call names one', {}, { attempt: 2 }, false],
  ])('%s', (_, asked, underWay, another) => {
    expect(asksForAnotherKey({ ...SAME, ...asked }, { ...SAME, ...underWay })).toBe(another);
  });
});

describe('the age of an attempt', () => {
  const HOUR = 60 * MINUTE;
  const NOW = 1_800_000_000_000;

  it.each<[what: string, ageMs: number, begunMs: number | undefined, expected: number]>([
    ['by both clocks', HOUR, HOUR, HOUR],
    ['if the clock of the storage was set back', 10 * MINUTE, 3 * HOUR, 3 * HOUR],
    ['while that clock has not caught up', -2 * HOUR, HOUR, HOUR],
    ['if the clock of a process was set back', HOUR, -2 * HOUR, HOUR],
    ['if both were', -HOUR, -2 * HOUR, 0],
    ['by one clock, if an earlier version wrote it', HOUR, undefined, HOUR],
    ['by that one clock, set back', -HOUR, undefined, 0],
  ])('%s', (_, ageMs, begunMs, expected) => {
    const change = begunMs === undefined ? {} : { begunAtByProcess: NOW - begunMs };
    expect(attemptAgeMs(storedRecord(change, { ageMs }), NOW)).toBe(expected);
  });
});
