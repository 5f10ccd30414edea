import { describe, expect, it, vi } from 'vitest';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import {
  asBefore,
  toInFlight,
  toPlanned,
  toSending,
  withoutProbe,
  withPlannedAt,
  toAccepted,
  toAcknowledged,
  toAcknowledgedWithoutMoney,
  toErased,
  toPlannedAgain,
  isAcknowledged,
  toProbing,
  toRejected,
  toSettled,
  toUnknown,
} from '../../../../lib/journal/payment/journal-transitions.js';
import { journalRecord } from '../../../support/journal-contract.js';

const record = (change: Partial<JournalRecord> = {}): JournalRecord => journalRecord('order-1', change);
const SPENT = ['body', 'probe', 'evidence'] as const;

describe('what is written down of a payment', () => {
  it.each([
    ['accepted', toAccepted(record({ state: 'unknown', evidence: 'no-answer' }), '{}')],
    ['rejected', toRejected(record(), 'proven')],
    ['settled', toSettled(record({ state: 'unknown', evidence: 'no-answer' }), 'success', 'webhook')],
  ] as const)('once it is %s holds no request, no open probe and no doubt', (state, next) => {
    expect(next.state).toBe(state);
    for (const field of SPENT) expect(next).not.toHaveProperty(field);
  });

  it('never goes back from its end: an answer that comes later is only kept', () => {
    const ended = toSettled(record(), 'failed', 'webhook');
    expect(toAccepted(ended, '{"late":true}')).toEqual({ ...ended, answer: '{"late":true}' });
    expect(toAccepted(ended, '{"late":true}', 'success')).toEqual({ ...ended, answer: '{"late":true}' });
    expect(toUnknown(ended, 'no-answer', 'after-silence')).toBe(ended);
  });

  it('is what was said of it last', () => {
    const first = toSettled(toAccepted(record(), '{"first":true}'), 'failed', 'operator');
    expect(toSettled(first, 'success', 'webhook')).toEqual({
      ...first,
      outcome: 'success',
      settledBy: 'webhook',
    });
    const paid = toSettled(toAccepted(record(), '{"first":true}'), 'success', 'operator');
    expect(toAccepted(paid, '{"second":true}')).toEqual({ ...paid, answer: '{"second":true}' });
    expect(toAccepted(paid)).toEqual(paid);
  });

  it.each<[string, JournalRecord, boolean]>([
    ['no answer or webhook has named it', record(), false],
    ['a success answer said so', toAccepted(record(), '{}'), true],
    ['a status answer said so', toAccepted(record()), true],
    ['a status answer showed it in an unlisted status', toAcknowledged(record()), true],
    ['it was refused as a duplicate request', toUnknown(record(), 'duplicate-request', undefined), true],
    ['it was refused as a duplicate reference', toUnknown(record(), 'duplicate-reference', undefined), true],
    ['its echo was another one', toUnknown(record(), 'echo-mismatch', undefined), true],
    ['no answer came', toUnknown(record(), 'no-answer', undefined), false],
    ['the gateway failed', toUnknown(record(), 'server-error', undefined), false],
    ['a provider failed', toUnknown(record(), 'provider-error', undefined), false],
  ])('remembers whether the gateway acknowledged it: %s', (_, known, answer) => {
    expect(isAcknowledged(known)).toBe(answer);
    const doubtful =
      known.state === 'unknown' ? toUnknown(known, 'refused-after-ambiguity', undefined) : known;
    expect(isAcknowledged(toSettled(doubtful, 'failed', 'operator'))).toBe(answer);
  });

  it('that was refused is unknown once the gateway shows it, and stays refused if the gateway shows that no money moved', () => {
    const refused = toRejected(record(), 'proven');
    const open = toAcknowledged(refused);
    expect(open).toMatchObject({ state: 'unknown', evidence: 'conflict' });
    expect(isAcknowledged(open)).toBe(true);
    expect(toAcknowledgedWithoutMoney(refused)).toBe(refused);
    expect(toAccepted(refused, '{}')).toMatchObject({ state: 'accepted', answer: '{}' });
  });

  it('is unknown if the gateway refuses what it has shown before', () => {
    expect(toRejected(toAcknowledged(record()), 'proven')).toMatchObject({
      state: 'unknown',
      evidence: 'conflict',
    });
  });

  it("stays failed by an operator's word if the gateway acknowledged it before, and says nothing since", () => {
    const ended = toSettled(toAccepted(record(), '{}'), 'failed', 'operator');
    expect(ended).toMatchObject({ state: 'settled', outcome: 'failed' });
    expect(toUnknown(ended, 'no-answer', 'after-silence')).toBe(ended);
  });

  describe('after an operator called it ended without success', () => {
    const ended = (): JournalRecord => toSettled(record(), 'failed', 'operator');
    const acknowledgements: [what: string, next: (from: JournalRecord) => JournalRecord][] = [
      ['a success answer', (from) => toAccepted(from, '{"late":true}')],
      ['a success answer that names the end', (from) => toAccepted(from, '{"late":true}', 'success')],
      ['whatever shows it', (from) => toAcknowledged(from)],
      ['a duplicate request', (from) => toUnknown(from, 'duplicate-request', undefined)],
      ['a duplicate reference', (from) => toUnknown(from, 'duplicate-reference', undefined)],
      ['an echo of another payment', (from) => toUnknown(from, 'echo-mismatch', undefined)],
    ];

    it.each(acknowledgements)('is unknown again once the gateway acknowledges it: %s', (_, next) => {
      for (const outcome of ['failed', 'cancelled', 'expired'] as const) {
        const open = next(toSettled(record(), outcome, 'operator'));
        expect(open).toMatchObject({ state: 'unknown', evidence: 'conflict' });
        expect(isAcknowledged(open)).toBe(true);
        for (const field of ['outcome', 'settledBy', 'body', 'probe']) expect(open).not.toHaveProperty(field);
      }
    });

    it('keeps the success answer that contradicts the operator', () => {
      expect(toAccepted(ended(), '{"late":true}').answer).toBe('{"late":true}');
      const again = toSettled(toAccepted(record(), '{"first":true}'), 'failed', 'operator');
      expect(toAccepted(again, '{"late":true}').answer).toBe('{"late":true}');
      expect(toAccepted(again)).toMatchObject({ answer: '{"first":true}', state: 'unknown' });
    });

    it.each(acknowledgements)('is unknown again, even if it was acknowledged before: %s', (_, next) => {
      expect(next(toSettled(toAccepted(record(), '{}'), 'failed', 'operator'))).toMatchObject({
        state: 'unknown',
        evidence: 'conflict',
      });
    });

    it('is unknown again once its call ends without a clear answer: the operator spoke too early', () => {
      const sent = toSettled({ ...record(), sent: true }, 'failed', 'operator');
      for (const evidence of ['no-answer', 'server-error', 'provider-error'] as const) {
        const open = toUnknown(sent, evidence, 'after-silence');
        expect(open).toMatchObject({ state: 'unknown', evidence });
        expect(isAcknowledged(open)).toBe(false);
        for (const field of ['outcome', 'settledBy', 'body', 'probe', 'sent'])
          expect(open).not.toHaveProperty(field);
      }
      for (const settledBy of ['webhook', 'status'] as const) {
        const certain = toSettled(record(), 'failed', settledBy);
        expect(toUnknown(certain, 'no-answer', 'after-silence')).toBe(certain);
      }
    });

    it('stays ended if the gateway also says that no money moved', () => {
      expect(toAcknowledgedWithoutMoney(ended())).toEqual({ ...ended(), acknowledged: true });
      for (const outcome of ['failed', 'cancelled', 'expired'] as const)
        expect(toAccepted(ended(), '{"late":true}', outcome)).toEqual({
          ...ended(),
          answer: '{"late":true}',
        });
    });

    it.each(acknowledgements)('takes the word of an operator who looks again: %s', (_, next) => {
      const again = toSettled(next(ended()), 'failed', 'operator');
      expect(again).toMatchObject({ state: 'settled', outcome: 'failed' });
      expect(isAcknowledged(again)).toBe(true);
      expect(again).not.toHaveProperty('evidence');
    });

    it.each([
      ['an operator says that it was paid', toSettled(record(), 'success', 'operator')],
      ['an operator says that the payout was paid', toSettled(record(), 'paid', 'operator')],
      ['a webhook says that it failed', toSettled(record(), 'failed', 'webhook')],
      ['a status answer says that it failed', toSettled(record(), 'failed', 'status')],
    ])('alone: it stays ended if %s', (_, other) => {
      for (const [, next] of acknowledgements) expect(next(other)).toMatchObject(other);
    });
  });

  it('never becomes doubtful once it was accepted or refused', () => {
    for (const known of [toAccepted(record(), '{}'), toRejected(record(), 'proven')])
      expect(toUnknown(known, 'no-answer', undefined)).toBe(known);
  });

  it('keeps its key after a refusal without a listed code, and after every later refusal of that attempt', () => {
    const unlisted = toRejected(record(), 'unproven');
    expect(unlisted).toMatchObject({ state: 'rejected', keepsKey: true });
    const again = { ...record(), keepsKey: true } as const;
    expect(toRejected(again, 'proven')).toMatchObject({ state: 'rejected', keepsKey: true });
    expect(toRejected(record(), 'proven')).not.toHaveProperty('keepsKey');
  });

  it.each([
    ['accepted', (refused: JournalRecord) => toAccepted(refused, '{}')],
    [
      'accepted and unknown to its operator',
      (refused) => toSettled(toAccepted(refused), 'success', 'status'),
    ],
    ['contradicted by the gateway', toAcknowledged],
    ['contradicted twice', (refused) => toAcknowledged(toSettled(refused, 'failed', 'operator'))],
  ] satisfies [string, (refused: JournalRecord) => JournalRecord][])(
    'remembers a refusal of its attempt once it is %s: a failure may be that of the refused try',
    (_, next) => {
      expect(next(toRejected(record(), 'unproven'))).toMatchObject({ keepsKey: true });
      const turnedAway = next(toRejected(record(), 'turned-away'));
      expect(turnedAway).toMatchObject({ keepsKey: true, turnedAway: true });
      expect(next(record())).not.toHaveProperty('keepsKey');
    },
  );

  it('is announced as stale once more if the gateway contradicts what was known', () => {
    const ended = toSettled({ ...record(), stale: true }, 'failed', 'operator');
    for (const known of [ended, { ...toRejected(record(), 'proven'), stale: true } as const])
      expect(toAcknowledged(known)).not.toHaveProperty('stale');
    expect(toUnknown(ended, 'no-answer', undefined)).not.toHaveProperty('stale');
    expect(toAcknowledged({ ...record(), stale: true })).toHaveProperty('stale');
  });

  it('remembers that it was only turned away, until a refusal without a listed code', () => {
    const turned = toRejected(record(), 'turned-away');
    expect(turned).toMatchObject({ state: 'rejected', keepsKey: true, turnedAway: true });
    const again = asBefore(toInFlight({ ...record(), body: '{}' }, 1, undefined, 'key-1'), turned);
    expect(again).toMatchObject({ keepsKey: true, turnedAway: true });
    expect(toRejected(again, 'turned-away')).toMatchObject({ keepsKey: true, turnedAway: true });
    expect(asBefore({ ...again, attempt: 2 }, turned)).toEqual({ ...again, attempt: 2 });
    for (const refusal of ['proven', 'unproven'] as const) {
      const refused = toRejected(again, refusal);
      expect(refused).toMatchObject({ keepsKey: true });
      for (const unlisted of [refused, toRejected(refused, 'turned-away')])
        expect(unlisted).not.toHaveProperty('turnedAway');
    }
  });

  it('keeps its request while it may be sent once more', () => {
    expect(toUnknown(record(), 'server-error', 'after-answer')).toMatchObject({
      state: 'unknown',
      evidence: 'server-error',
      probe: 'after-answer',
      body: record().body,
    });
  });

  it('has no probe if its caller allows one try only, and keeps its request', () => {
    const { probe: _probe, ...rest } = record();
    expect(withoutProbe({ ...record(), probe: 'after-silence' })).toEqual(rest);
  });

  it('has no probe left once it leaves, though the request is still there', () => {
    const leaving = toProbing(record(), 'interrupted');
    expect(leaving).toMatchObject({ state: 'unknown', evidence: 'interrupted', body: record().body });
    expect(leaving).not.toHaveProperty('probe');
  });

  it('tells when its attempt began by the clock of this process, until the next attempt does', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 7_000 });
    const begun = toInFlight({ ...record(), body: '{}' }, 1, undefined);
    vi.setSystemTime(9_000);
    const later = [
      toProbing(begun, 'interrupted'),
      toErased(begun),
      toAccepted(begun),
      toUnknown(begun, 'no-answer', undefined),
    ];
    for (const next of [begun, ...later]) expect(next.begunAtByProcess).toBe(7_000);
    expect(toInFlight({ ...record(), body: '{}' }, 1, undefined, 'kept').begunAtByProcess).toBe(9_000);
    vi.useRealTimers();
  });

  it('can lose its request and nothing else', () => {
    const { body: _body, probe: _probe, sent: _sent, ...rest } = record();
    expect(toErased(record())).toEqual(rest);
  });
});

describe('a planned payment', () => {
  const planned = toPlanned({ ...record(), body: '{"reference":"order-1"}' }, 2, undefined);

  it('holds its request, its key and its attempt, and no probe', () => {
    expect(planned).toMatchObject({ state: 'planned', attempt: 2, body: '{"reference":"order-1"}' });
    for (const field of ['probe', 'sent', 'keepsKey', 'begunAtByProcess'])
      expect(planned).not.toHaveProperty(field);
    expect(toPlanned({ ...record(), body: '{}' }, 2, undefined, 'kept')).toMatchObject({
      idempotencyKey: 'kept',
      keepsKey: true,
    });
  });

  it('is sent with its key and its bytes, by a call that nobody takes for another one', () => {
    const { intent, probe, begunAtByProcess, ...sending } = toSending({
      ...planned,
      stale: true,
      plannedAt: 5,
    });
    const { intent: before, ...rest } = planned;
    expect(sending).toEqual({ ...rest, state: 'in-flight', plannedAt: 5 });
    expect([probe, intent === before]).toEqual(['after-silence', false]);
    expect(Date.now() - begunAtByProcess!).toBeLessThan(60_000);
    const again = toSending({ ...toPlannedAgain(planned, planned, 'turned-away'), plannedAt: 5 });
    expect(again).toMatchObject({ keepsKey: true, turnedAway: true });
    const unlisted = { ...planned, keepsKey: true } as const;
    expect(toPlannedAgain(unlisted, unlisted, 'turned-away')).not.toHaveProperty('turnedAway');
    expect(toPlannedAgain(planned, planned, 'unproven')).not.toHaveProperty('turnedAway');
    expect(toPlannedAgain(again, toSending({ ...again, plannedAt: 5 }), 'unproven')).not.toHaveProperty(
      'turnedAway',
    );
  });

  it('remembers the first time that it was planned, by the clock of the store, until its attempt ends', () => {
    const times = { version: 1, createdAt: 10, updatedAt: 70, ageMs: 40, idleMs: 30, leaseLeftMs: 0 };
    const first = withPlannedAt({ ...times, record: planned });
    expect(first.plannedAt).toBe(60);
    expect(withPlannedAt({ ...times, record: first, ageMs: 0 }).plannedAt).toBe(60);
    expect(toRejected(toSending(first), 'proven')).not.toHaveProperty('plannedAt');
  });

  it('is unknown once the gateway shows it, and stays planned if it shows that no money moved', () => {
    expect(toAcknowledged(planned)).toMatchObject({ state: 'unknown', evidence: 'conflict' });
    expect(toAcknowledgedWithoutMoney(planned)).toBe(planned);
  });

  it('never hides the end of a call that was sent anyway', () => {
    expect(toUnknown(planned, 'no-answer', undefined)).toMatchObject({
      state: 'unknown',
      evidence: 'no-answer',
    });
    expect(toAccepted(planned, '{}')).toMatchObject({ state: 'accepted' });
    expect(toRejected(toPlannedAgain(planned, planned, 'turned-away'), 'proven')).toMatchObject({
      state: 'rejected',
      keepsKey: true,
    });
  });
});
