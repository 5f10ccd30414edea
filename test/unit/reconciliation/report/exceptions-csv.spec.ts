import { expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { plainCell } from '../../../../lib/common/csv-row.js';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { EXCEPTION_KINDS } from '../../../../lib/reconciliation/exceptions/close-exception.js';
import { closeReport } from '../../../../lib/reconciliation/report/close-report.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';
import { EXAMPLE_CLOSE, exceptionWith, FIRST_CLOSE } from './example-close.js';

const csv = (close: CloseToReport): string => closeReport(close, { format: 'csv' });

function rowsOf(exceptions: CloseToReport['exceptions']): readonly Readonly<Record<string, string>>[] {
  return parse(csv({ ...EXAMPLE_CLOSE, exceptions }), { columns: true });
}

it('the CSV has a row for each exception', () => {
  expect(csv(EXAMPLE_CLOSE)).toMatchInlineSnapshot(`
    "id,kind,state,day,age_hours,family,reference,reason,journal_status,journal_amount,journal_fee,journal_at,statement,statement_row,statement_kind,statement_amount,statement_fee,statement_at,statement_failed,proposal,hint,note,note_by,note_at
    2026-11-20.balance,balance,open,2026-11-20,0,,,"The wallet has 50,000.00 more than payments explain.",,,,,,,,,,,,,"The payout ORDER-9 of 50,000.00 would explain it.",,,
    2026-11-18.proven.ORDER-1,proven,open,2026-11-18,51,collection,ORDER-1,"The outcome of this collection was not known here, because its answer was lost, and the statement says that the customer paid.",unknown,5000.50,,2026-11-18T18:00:00.000Z,november.csv,12,collection,5000.50,,2026-11-18T18:00:07.000Z,false,success,,,,
    2026-11-20.fee.ORDER-3,fee,explained,2026-11-20,12,disbursement,ORDER-3,The statement has another fee than the gateway said.,paid,300000.00,1500.00,2026-11-20T09:00:00.000Z,november.csv,812,payout,300000.00,1600.00,2026-11-20T09:00:41.000Z,false,,,The gateway raised its fee at noon.,asha,2026-11-21T06:12:00.000Z
    "
  `);
});

it('the CSV without an exception has the names of the columns', () => {
  expect(csv(FIRST_CLOSE)).toBe(`${csv(EXAMPLE_CLOSE).split('\n')[0]}\n`);
});

it('the gravest exceptions come first, and those of one kind stay as they were', () => {
  const ids = ['1', '2', '3'];
  const exceptions = [...EXCEPTION_KINDS]
    .reverse()
    .flatMap((kind) => ids.map((id) => exceptionWith({ kind, id })));
  expect(rowsOf(exceptions).map(({ kind, id }) => [kind, id])).toEqual(
    EXCEPTION_KINDS.flatMap((kind) => ids.map((id) => [kind, id])),
  );
});

it('an amount that left the wallet is a number in a spreadsheet, and no text', () => {
  const theirs = { ...exceptionWith({}).theirs!, kind: 'other', amount: '-90071992547409931.05' } as const;
  expect(rowsOf([exceptionWith({ theirs })])).toMatchObject([{ statement_amount: '-90071992547409931.05' }]);
});

it('an amount that the journal cannot read is an empty cell', () => {
  const own = { ...exceptionWith({}).own!, amount: '' };
  expect(rowsOf([exceptionWith({ own })])).toMatchObject([{ journal_amount: '' }]);
});

const CELL = fc.string({
  unit: fc.oneof(
    fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', "'", '＝', '＠'),
    anyCodePoint,
  ),
  maxLength: 8,
});

it('every text comes back from the CSV, and no cell begins as a formula', () => {
  fc.assert(
    fc.property(CELL, CELL, (reference, text) => {
      const [row = {}] = rowsOf([
        exceptionWith({
          reference,
          id: text,
          reason: text,
          hint: text,
          own: { ...exceptionWith({}).own!, status: text },
          theirs: { ...exceptionWith({}).theirs!, statement: text },
          note: { by: text, text, at: new Date(0) },
        }),
      ]);
      // A spreadsheet may separate cells by semicolons or tabs, too.
      for (const cell of Object.values(row))
        expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/);
      expect(plainCell(row['reference']!)).toBe(plainCell(reference));
      for (const name of ['id', 'reason', 'hint', 'journal_status', 'statement', 'note', 'note_by']) {
        expect(plainCell(row[name]!)).toBe(plainCell(text));
      }
    }),
  );
});

it.each(['', 'xlsx', 'toString'])('the format "%s" is refused with those that there are', (format) => {
  expect(() => closeReport(EXAMPLE_CLOSE, { format: format as never })).toThrow(
    'there is no such format: write one of table, markdown, csv, journal',
  );
});
