import { describe, expect, it } from 'vitest';
import { rowMoney } from '../../../../lib/reconciliation/matching/row-money.js';
import { StatementDigest } from '../../../../lib/reconciliation/matching/statement-digest.js';
import { type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';

const ROW: StatementRow = {
  row: 2,
  kind: 'payout',
  reference: 'supplier-1',
  amount: '20000.00',
  fee: '100.00',
  at: new Date('2026-11-20T05:00:00Z'),
  recipient: '255712345678',
  isFailed: false,
};

const digestOf = (...rows: readonly StatementRow[]): string => {
  const digest = new StatementDigest();
  for (const row of rows) digest.add(row, rowMoney(row));
  return digest.text;
};

describe('the digest of a statement', () => {
  // Somebody who reads the database could try every phone number until the digest is right.
  it('says nothing of recipients', () => {
    expect(digestOf({ ...ROW, recipient: '255712345679' })).toBe(digestOf(ROW));
    expect(digestOf({ ...ROW, recipient: undefined })).toBe(digestOf(ROW));
  });

  it.each<[string, Partial<StatementRow>]>([
    ['kind', { kind: 'collection' }],
    ['reference', { reference: 'supplier-2' }],
    ['amount', { amount: '20000.01' }],
    ['fee', { fee: undefined }],
    ['time', { at: new Date('2026-11-20T05:00:01Z') }],
    ['end', { isFailed: true }],
  ])('changes with the %s of a row', (_what, change) => {
    expect(digestOf({ ...ROW, ...change })).not.toBe(digestOf(ROW));
  });

  it('is the same in any order of the rows', () => {
    const other = { ...ROW, reference: 'supplier-2' };
    expect(digestOf(other, ROW, ROW)).toBe(digestOf(ROW, ROW, other));
    expect(digestOf(ROW)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('changes with the number of rows', () => {
    const other = { ...ROW, reference: 'supplier-2' };
    const digests = [
      digestOf(),
      digestOf(ROW),
      digestOf(ROW, ROW),
      digestOf(ROW, other),
      digestOf(ROW, other, other),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
