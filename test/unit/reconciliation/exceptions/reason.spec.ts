import { describe, expect, it } from 'vitest';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { hintOf, reasonOf } from '../../../../lib/reconciliation/exceptions/reason.js';

describe('the words of an exception', () => {
  it.each([
    [2_050_000, 'The balance is 20500.00 TZS more than the payments explain.'],
    [-2_050_000, 'The balance is 20500.00 TZS less than the payments explain.'],
  ])('say which way a balance differs: %d', (gap, words) => {
    expect(reasonOf({ kind: 'balance', family: undefined, reference: undefined, gap })).toBe(words);
  });

  it.each([
    [[], [], 'It fits if none of the open payments moved.'],
    [['a', 'b'], [], 'It fits if exactly these open payments moved: "a", "b".'],
    [[], ['c'], 'It fits if none of the open payments moved, and the money of exactly these came back: "c".'],
    [
      ['a'],
      ['c'],
      'It fits if exactly these open payments moved: "a", and the money of exactly these came back: "c".',
    ],
  ])('say what moved and what came back: %j and %j', (moved, cameBack, hint) => {
    expect(hintOf({ moved, cameBack })).toBe(hint);
  });

  it.each([
    ['disbursement', 500, 30_000, 'all'],
    ['disbursement', 500, 29_500, 'all'],
    ['disbursement', 500, 29_499, 'part'],
    ['disbursement', undefined, 29_999, 'part'],
    ['collection', 500, -29_500, 'all'],
    ['collection', 500, -29_499, 'part'],
  ] as const)(
    'say whether all of a %s with the fee %s is back, after a row of %s: %s',
    (family, feeCents, cents, is) => {
      const own = { family, reference: 'a', state: 'accepted', status: 'accepted', cents: 30_000, feeCents };
      const row = { row: 3, kind: 'other', cents, feeCents: undefined, at: 1, isFailed: false } as const;
      const finding = { kind: 'status', family, reference: 'a', row, contradicts: 'row' } as const;
      const words = reasonOf({ ...finding, own: own as unknown as JournalPayment });
      expect(words).toContain(
        is === 'part' ? 'That is a part of it: look for other rows' : '(row 3). Ask the gateway',
      );
    },
  );

  it('say that money came in under the reference of a collection', () => {
    const own = { family: 'collection', reference: 'a', state: 'moved', status: 'success', cents: 30_000 };
    const row = {
      row: 3,
      kind: 'other',
      cents: 30_000,
      feeCents: undefined,
      at: 1,
      isFailed: false,
    } as const;
    const finding = {
      kind: 'status',
      family: 'collection',
      reference: 'a',
      row,
      contradicts: 'sign',
    } as const;
    expect(reasonOf({ ...finding, own: own as unknown as JournalPayment })).toBe(
      'The journal says success, and the statement says that 300.00 TZS came in as money that is no payment ' +
        '(row 3). If it was taken back, the row lacks its minus: give such rows one in statements to come.',
    );
  });

  it.each([
    [
      true,
      'The gateway turned this payout away (401, 403, 429 or a redirect), and no later call got another answer. Make the',
    ],
    [false, 'Nobody knows whether the money of this payout moved: the journal says rejected'],
  ])('say of an open payment whether the gateway turned it away: %s', (isTurnedAway, words) => {
    const own = {
      family: 'disbursement',
      reference: 'a',
      state: 'unknown',
      status: 'rejected',
      isTurnedAway,
    };
    const finding = { kind: 'unknown', family: 'disbursement', reference: 'a' } as const;
    expect(reasonOf({ ...finding, own: own as unknown as JournalPayment })).toContain(words);
  });

  it('name no more than twenty payments', () => {
    const moved = Array.from({ length: 1_000 }, (_, index) => `order-${index}`);
    expect(hintOf({ moved, cameBack: [] })).toMatch(/"order-19" and 980 more\.$/);
  });
});
