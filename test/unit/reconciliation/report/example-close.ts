import { type CloseSummary } from '../../../../lib/reconciliation/close/close-summary.js';
import { type CloseException } from '../../../../lib/reconciliation/exceptions/close-exception.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';

const HOUR_MS = 3_600_000;

const EXAMPLE_SUMMARY: CloseSummary = {
  day: '2026-11-20',
  timeZone: 'Africa/Dar_es_Salaam',
  from: new Date('2026-11-19T21:00:00Z'),
  to: new Date('2026-11-20T21:00:00Z'),
  closedAt: new Date('2026-11-20T21:05:09Z'),
  by: 'cron',
  collections: { count: 1_204, amount: '18450000.00', fees: '184500.00' },
  payouts: { count: 12, amount: '3600000.00', fees: '18000.00' },
  open: { count: 2, amount: '55000.50', fees: '0.00' },
  expected: 1,
  hasOpening: true,
  balance: {
    opening: {
      askedAt: new Date('2026-11-19T21:00:02Z'),
      answeredAt: new Date('2026-11-19T21:00:03Z'),
      balance: '5000000.00',
      available: '5000000.00',
      locked: '0.00',
    },
    closing: {
      askedAt: new Date('2026-11-20T21:00:02Z'),
      answeredAt: new Date('2026-11-20T21:00:03Z'),
      balance: '18692499.50',
      available: '18642499.50',
      locked: '50000.00',
    },
    in: '18450000.00',
    out: '3600000.00',
    fees: '202500.00',
    other: '-1000000.00',
    least: '-55000.50',
    most: '0.00',
    underWay: '-5000.50',
    difference: '50000.00',
  },
  statement: {
    name: 'november.csv',
    digest: '5f2c'.repeat(16),
    rows: 1_221,
    otherDays: 4,
    matched: 1_215,
    collections: { count: 1_204, amount: '18450000.00', fees: '184500.00' },
    payouts: { count: 11, amount: '3550000.00', fees: '17000.00' },
    other: '-1000000.00',
  },
  exceptions: { balance: 1, proven: 1 },
};

const EXAMPLE_EXCEPTIONS: readonly CloseException[] = [
  {
    id: '2026-11-20.fee.ORDER-3',
    kind: 'fee',
    state: 'explained',
    day: '2026-11-20',
    reason: 'The statement has another fee than the gateway said.',
    family: 'disbursement',
    reference: 'ORDER-3',
    own: {
      status: 'paid',
      amount: '300000.00',
      fee: '1500.00',
      createdAt: new Date('2026-11-20T09:00:00Z'),
    },
    theirs: {
      statement: 'november.csv',
      row: 812,
      kind: 'payout',
      amount: '300000.00',
      fee: '1600.00',
      at: new Date('2026-11-20T09:00:41Z'),
      isFailed: false,
    },
    ageMs: 12 * HOUR_MS,
    proposal: undefined,
    hint: undefined,
    note: {
      by: 'asha',
      text: 'The gateway raised its fee at noon.',
      at: new Date('2026-11-21T06:12:00Z'),
    },
  },
  {
    id: '2026-11-18.proven.ORDER-1',
    kind: 'proven',
    state: 'open',
    day: '2026-11-18',
    reason:
      'The outcome of this collection was not known here, because its answer was lost, and the statement says that the customer paid.',
    family: 'collection',
    reference: 'ORDER-1',
    own: {
      status: 'unknown',
      amount: '5000.50',
      fee: undefined,
      createdAt: new Date('2026-11-18T18:00:00Z'),
    },
    theirs: {
      statement: 'november.csv',
      row: 12,
      kind: 'collection',
      amount: '5000.50',
      fee: undefined,
      at: new Date('2026-11-18T18:00:07Z'),
      isFailed: false,
    },
    ageMs: 51 * HOUR_MS,
    proposal: {
      account: 'default',
      day: '2026-11-18',
      statement: 'november.csv',
      exception: '2026-11-18.proven.ORDER-1',
      family: 'collection',
      reference: 'ORDER-1',
      outcome: 'success',
      row: 12,
    },
    hint: undefined,
    note: undefined,
  },
  {
    id: '2026-11-20.balance',
    kind: 'balance',
    state: 'open',
    day: '2026-11-20',
    reason: 'The wallet has 50,000.00 more than payments explain.',
    family: undefined,
    reference: undefined,
    own: undefined,
    theirs: undefined,
    ageMs: 0,
    proposal: undefined,
    hint: 'The payout ORDER-9 of 50,000.00 would explain it.',
    note: undefined,
  },
];

/** A close with everything in it. */
export const EXAMPLE_CLOSE: CloseToReport = { summary: EXAMPLE_SUMMARY, exceptions: EXAMPLE_EXCEPTIONS };

/** The first close, without a statement and without an exception. */
export const FIRST_CLOSE: CloseToReport = {
  summary: {
    ...EXAMPLE_SUMMARY,
    hasOpening: false,
    balance: undefined,
    statement: undefined,
    exceptions: {},
  },
  exceptions: [],
};

/** An exception with other texts. */
export function exceptionWith(change: Partial<CloseException>): CloseException {
  const [first] = EXAMPLE_EXCEPTIONS;
  return { ...(first as CloseException), ...change };
}
