import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { csvRow } from '../../../../lib/common/csv-row.js';
import { formatCents } from '../../../../lib/common/money.js';
import { csvStatement } from '../../../../lib/reconciliation/statement/csv-statement.js';
import { type Statement, type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';

type Row = Omit<StatementRow, 'row'>;

const HEAD = 'Status,Fee,Reference,Date,Recipient,Amount,Type\n';
const ROW = 'Paid,5.00,ORDER-1,2026-11-20T05:00:00Z,255712345678,100.00,Collection\n';

const cents = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
/** The reader trims cells, takes a number with an exponent for a rounded one, and an apostrophe for that of a formula. */
const references = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) => text.replaceAll('\0', '').trim())
  .filter((text) => text !== '' && !/(?:^|[;\t\r\n])'|E\+\d+$/i.test(text));
const rows: fc.Arbitrary<Row> = fc
  .record({
    kind: fc.constantFrom('collection' as const, 'payout' as const, 'fee' as const, 'other' as const),
    reference: fc.option(references, { nil: undefined }),
    cents,
    fee: fc.option(cents.map(formatCents), { nil: undefined }),
    at: fc.date({ min: new Date('2000-01-01'), max: new Date('2999-01-01'), noInvalidDate: true }),
    recipient: fc.option(fc.stringMatching(/^[a-zA-Z0-9]{1,20}$/), { nil: undefined }),
    isFailed: fc.boolean(),
  })
  .map(({ cents: amount, ...row }) => ({
    ...row,
    amount: formatCents(row.kind === 'fee' ? -amount : amount),
  }));

function written({ kind, reference = '', amount, fee = '', at, recipient = '', isFailed }: Row): string {
  const status = isFailed ? 'Failed' : 'Paid';
  return csvRow([status, fee, reference, at.toISOString(), recipient, amount.replace('-', ''), kind]);
}

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function read(statement: Statement): Promise<Row[]> {
  const found = [];
  for await (const { row, ...rest } of statement.rows()) {
    expect(row).toBeGreaterThan(1);
    found.push(rest);
  }
  return found;
}

describe('a statement', () => {
  it('is read as it was written, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rows, { maxLength: 20 }),
        fc.integer({ min: 1, max: 200 }),
        async (all, size) => {
          const text = HEAD + all.map(written).join('');
          expect(await read(csvStatement({ stream: pieces(text, size) }))).toEqual(all);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of any size is read as it comes, a little ahead of the reader of its rows', async () => {
    const most = 100_000;
    let given = 0;
    const source = (async function* () {
      yield HEAD;
      for (; given < most; given += 100) yield await Promise.resolve(ROW.repeat(100));
    })();
    let taken = 0;
    let furthest = 0;
    let last = 0;
    for await (const { row } of csvStatement({ stream: source }).rows()) {
      taken += 1;
      last = row;
      furthest = Math.max(furthest, given - taken);
    }
    expect([taken, last]).toEqual([most, most + 1]);
    expect(furthest).toBeLessThan(3_000);
  });
});
