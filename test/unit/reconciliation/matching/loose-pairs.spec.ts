import { describe, expect, it } from 'vitest';
import {
  type LoosePayment,
  loosePairs,
  type LooseRow,
} from '../../../../lib/reconciliation/matching/loose-pairs.js';

const WITHIN = 1_000;
const row = (given: Partial<LooseRow> = {}): LooseRow => ({
  family: 'collection',
  cents: 500,
  at: 10_000,
  recipient: undefined,
  ...given,
});
const payment = (given: Partial<LoosePayment> = {}): LoosePayment => ({
  family: 'collection',
  cents: 500,
  begunAt: 9_500,
  recipient: '255700000001',
  ...given,
});

describe('a row without a reference', () => {
  it.each<[string, readonly LooseRow[], readonly LoosePayment[], readonly (number | undefined)[]]>([
    ['finds the only payment that fits', [row()], [payment({ cents: 501 }), payment()], [1]],
    [
      'finds nothing among payments of another family',
      [row()],
      [payment({ family: 'disbursement' })],
      [undefined],
    ],
    ['finds a payment up to the longest time before', [row()], [payment({ begunAt: 9_000 })], [0]],
    ['finds no payment that is older', [row()], [payment({ begunAt: 8_999 })], [undefined]],
    ['finds no payment that was made later', [row()], [payment({ begunAt: 10_001 })], [undefined]],
    [
      'finds a payment that was made later in the same minute, if it has no seconds',
      [row({ at: 60_000 })],
      [payment({ begunAt: 119_999 })],
      [0],
    ],
    [
      'finds no payment of the next minute, if it has no seconds',
      [row({ at: 60_000 })],
      [payment({ begunAt: 120_000 })],
      [undefined],
    ],
    ['finds none if two fit', [row()], [payment(), payment({ begunAt: 9_900 })], [undefined]],
    ['finds none if two rows fit', [row(), row({ at: 10_100 })], [payment()], [undefined, undefined]],
    [
      'finds the one of two with its phone number',
      [row({ recipient: '255700000002' })],
      [payment(), payment({ recipient: '255700000002' })],
      [1],
    ],
    [
      'finds no payment whose number the journal does not hold',
      [row({ recipient: '255700000001' })],
      [payment({ recipient: undefined })],
      [undefined],
    ],
    [
      'finds none if another row, which fits two, may belong to it',
      [row({ at: 9_550 }), row({ at: 10_000 })],
      [payment({ begunAt: 9_500 }), payment({ begunAt: 9_600 })],
      [undefined, undefined],
    ],
  ])('%s', (_, rows, payments, pairs) => {
    expect(loosePairs(rows, payments, WITHIN)).toEqual(pairs);
  });
});
