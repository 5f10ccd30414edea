import { describe, expect, it } from 'vitest';
import { type JournalRecord, type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';
import {
  decideRecovery,
  isStale,
  keptUnknown,
  openMs,
  type RecoveryRules,
  unusable,
} from '../../../../lib/journal/recovery/recovery-decision.js';
import { SEALED, SEALED_PROBLEM, storedRecord } from '../../../support/stored-record.js';

const RULES: RecoveryRules = {
  baseUrl: 'https://gateway.example/api/v1',
  probe: { collection: { afterAnswerMs: 2_000, afterSilenceMs: 15_000 }, disbursement: undefined },
  recoveryWindowMs: 900_000,
  deadlineMs: 60_000,
  staleAfterMs: 3_600_000,
};
const aged = (ageMs: number, change: Partial<JournalRecord> = {}, leaseLeftMs = 0): StoredJournalRecord =>
  storedRecord(change, { ageMs, idleMs: ageMs, leaseLeftMs });

const SERVER_ERROR = { state: 'unknown', evidence: 'server-error' } as const;

/** By the clock of the process. */
function begunBefore(ms: number): Pick<JournalRecord, 'begunAtByProcess'> {
  return { begunAtByProcess: Date.now() - ms };
}

describe('recovering one payment', () => {
  it.each([
    ['younger than the deadline and 30 seconds', aged(90_000), 'leave'],
    ['older', aged(90_001), 'probe'],
    ['older, while its call holds a lease', aged(90_001, {}, 1), 'leave'],
    ['unknown', aged(90_001, { state: 'unknown', evidence: 'no-answer' }), 'probe'],
    ['at the end of the recovery window', aged(900_000), 'probe'],
    ['after the recovery window', aged(900_001), 'keep'],
    ['after the recovery window by the clock of its process', aged(100_000, begunBefore(900_001)), 'keep'],
    ['known to the gateway', aged(90_001, { acknowledged: true }), 'keep'],
    ['one whose call never said that it began to send', without('sent', aged(90_001)), 'keep'],
    ['a payout without a configured probe', aged(90_001, { family: 'disbursement' }), 'keep'],
  ] as const)('that is %s', (_, existing, decision) => {
    expect(decideRecovery(existing, RULES)).toBe(decision);
  });

  it.each([
    ['planned a moment ago: who committed it sends it', aged(10_000, { state: 'planned' }), 'leave'],
    ['planned, and still not sent', aged(10_001, { state: 'planned' }), 'send'],
    ['planned this moment', aged(0, { state: 'planned' }), 'leave'],
    ['planned before the clock was set back', aged(-1, { state: 'planned' }), 'send'],
    ['planned, however long ago', aged(9_000_000, { state: 'planned' }), 'send'],
    ['planned, and held by somebody', aged(10_001, { state: 'planned' }, 1), 'leave'],
  ] as const)('that is %s', (_, existing, decision) => {
    expect(decideRecovery(existing, RULES)).toBe(decision);
  });

  it('that has changed lately waits for its time', () => {
    const existing = storedRecord(
      { state: 'unknown', evidence: 'no-answer' },
      { ageMs: 100_000, idleMs: 14_999 },
    );
    expect(decideRecovery(existing, RULES)).toBe('keep');
  });
});

describe('a payment that stays unknown', () => {
  it('is called interrupted if its call never ended, and keeps its probe', () => {
    expect(keptUnknown(aged(100_000), RULES)).toMatchObject({
      state: 'unknown',
      evidence: 'interrupted',
      probe: 'after-silence',
    });
  });

  it('loses its request after the recovery window, and nothing else', () => {
    const kept = keptUnknown(aged(900_001, SERVER_ERROR), RULES);
    expect(kept).toMatchObject({ state: 'unknown', evidence: 'server-error' });
    expect(kept).not.toHaveProperty('body');
    expect(kept).not.toHaveProperty('probe');
  });

  it('keeps its request if only the clock of a process says that the recovery window is over', () => {
    const existing = aged(100_000, { ...SERVER_ERROR, ...begunBefore(900_001) });
    expect(keptUnknown(existing, RULES)).toBe(existing.record);
  });

  it.each([100_000, 900_000])('is not written again if nothing changes (%d ms old)', (ageMs) => {
    const existing = aged(ageMs, { state: 'unknown', evidence: 'no-answer' });
    expect(keptUnknown(existing, RULES)).toBe(existing.record);
  });

  it('is not written again once its request is erased', () => {
    const existing = without('body', aged(900_001, { state: 'unknown', evidence: 'no-answer' }));
    expect(keptUnknown(existing, RULES)).toBe(existing.record);
  });

  it('is left alone while another call holds it: it began since the list was read', () => {
    const existing = aged(1, { attempt: 2 }, 60_000);
    expect(keptUnknown(existing, RULES)).toBe(existing.record);
  });

  it.each(['accepted', 'rejected', 'settled'] as const)('is left alone once it is %s', (state) => {
    const existing = aged(900_001, { state });
    expect(keptUnknown(existing, RULES)).toBe(existing.record);
  });
});

it.each<[what: string, existing: StoredJournalRecord, why: string | undefined]>([
  ['with its request', aged(1, { body: '{"reference":"order-1"}' }), undefined],
  [
    'whose request was erased',
    without('body', aged(1, { state: 'unknown', evidence: 'interrupted' })),
    undefined,
  ],
  ['whose request is no object', aged(1, { body: '[]' }), 'its request cannot be read'],
  ['whose request was cut off', aged(1, { body: '{"ref' }), 'its request cannot be read'],
  [
    'that is planned and has no request',
    without('body', aged(1, { state: 'planned' })),
    'its request cannot be read',
  ],
  [
    'of a newer operation',
    aged(1, { operation: 'collection.card' as JournalRecord['operation'] }),
    'this version does not know its operation "collection.card"',
  ],
  [
    'in a newer state',
    aged(1, { state: 'held' as JournalRecord['state'] }),
    'this version does not know its state "held"',
  ],
  ['that another process has sealed', aged(1, { bodyHash: SEALED }), SEALED_PROBLEM],
  ['that cannot be read', { ...aged(1), damaged: 'its record is a list' }, 'its record is a list'],
])('a payment %s is recovered only if this version can read it', (_, existing, why) => {
  expect(unusable(existing)).toBe(why);
});

function without(field: 'body' | 'sent', existing: StoredJournalRecord): StoredJournalRecord {
  const { [field]: _dropped, ...record } = existing.record;
  return { ...existing, record };
}

/** Planned before `plannedForMs`, and put back a moment ago because nothing was sent. */
function putBack(plannedForMs: number, attempt = 1): StoredJournalRecord {
  const { updatedAt } = storedRecord();
  return aged(1, { state: 'planned', attempt, plannedAt: updatedAt + 1 - plannedForMs });
}

describe('a payment is stale', () => {
  it.each([
    ['accepted and too old', aged(3_600_001, { state: 'accepted' }), true],
    ['in flight and too old', aged(3_600_001, { state: 'in-flight' }), true],
    ['unknown and too old', aged(3_600_001, { state: 'unknown' }), true],
    ['too old by the clock of a process', aged(1, { state: 'accepted', ...begunBefore(3_600_001) }), false],
    ['planned and too old', aged(3_600_001, { state: 'planned' }), true],
    ['planned and not old enough', aged(3_600_000, { state: 'planned' }), false],
    ['planned too long ago, and put back', putBack(3_600_001), true],
    ['planned too long ago as a later attempt, and put back', putBack(3_600_001, 2), true],
    ['planned not long ago, and put back', putBack(3_600_000), false],
    ['not old enough', aged(3_600_000, { state: 'accepted' }), false],
    ['settled', aged(3_600_001, { state: 'settled' }), false],
    ['rejected', aged(3_600_001, { state: 'rejected' }), false],
    ['announced before', aged(3_600_001, { state: 'accepted', stale: true }), false],
  ] as const)('when it is %s: %s', (_, existing, stale) => {
    expect(isStale(existing, RULES)).toBe(stale);
  });
});

it.each([
  ['accepted', aged(-3_600_000, { state: 'accepted' })],
  ['planned', aged(-3_600_000, { state: 'planned' })],
  ['planned and put back', putBack(-3_600_000)],
])(
  'a payment that is %s has been open for no time, and not for less, after the clock was set back',
  (_, existing) => {
    expect(openMs(existing)).toBe(0);
  },
);
