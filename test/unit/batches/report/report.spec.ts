import { expect, it } from 'vitest';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { plainCell } from '../../../../lib/common/csv-row.js';
import { anyCodePoint } from '../../../support/any-code-point.js';
import {
  type ReportedLine,
  reportCsv,
  reportJson,
  summaryCsv,
} from '../../../../lib/batches/report/report.js';

const LINE: ReportedLine = {
  number: 1,
  key: 'S-1',
  reference: 'run.S-1',
  name: 'Asha Mushi',
  to: 'BSB ****801',
  bank: 'BSB',
  amount: '1000.00',
  fee: '12.50',
  state: 'accepted',
  detail: '',
};

const { fee: _fee, ...WITHOUT_FEE } = LINE;

async function text(parts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const part of parts) all += part;
  return all;
}

async function* of<T = ReportedLine>(...lines: readonly T[]): AsyncGenerator<T, void> {
  for (const line of lines) yield await Promise.resolve(line);
}

it('the CSV has a row for each line, and no cell becomes a formula or breaks its row', async () => {
  const name = '=cmd|"/C calc",\n!A0';
  const rows: unknown = parse(
    await text(reportCsv(of(LINE, { ...LINE, number: 2, name, detail: '@SUM(1)' }))),
  );
  expect(rows).toEqual([
    ['number', 'key', 'reference', 'name', 'to', 'amount', 'fee', 'state', 'detail'],
    ['1', 'S-1', 'run.S-1', 'Asha Mushi', 'BSB ****801', '1000.00', '12.50', 'accepted', ''],
    ['2', 'S-1', 'run.S-1', `'${name}`, 'BSB ****801', '1000.00', '12.50', 'accepted', "'@SUM(1)"],
  ]);
});

it.each([[[]], [[LINE]], [[LINE, LINE]]])('the JSON of %# lines can be read', async (lines) => {
  const { bank: _bank, ...shown } = LINE;
  const parts = { lines: of(...lines), audit: of<unknown>(...lines.map(() => ({ action: 'load' }))) };
  expect(JSON.parse(await text(reportJson({ batch: 'run' }, parts)))).toEqual({
    batch: 'run',
    audit: lines.map(() => ({ action: 'load' })),
    lines: lines.map(() => shown),
  });
});

it('the summary has sums by state and bank, and nobody in it', async () => {
  const summary = await text(
    summaryCsv(
      'run',
      of(
        LINE,
        { ...LINE, amount: '0.50' },
        { ...LINE, bank: 'mobile money', amount: '7.00' },
        { ...WITHOUT_FEE, state: 'unknown', amount: '5.00' },
      ),
    ),
  );
  expect(summary.trimEnd().split('\n')).toEqual([
    'batch,state,bank,lines,amount,fees',
    'run,accepted,BSB,2,1000.50,25.00',
    'run,accepted,mobile money,1,7.00,12.50',
    'run,unknown,BSB,1,5.00,0.00',
    'run,all,total,4,1012.50,37.50',
  ]);
});

/** Texts of cells, many of them with the characters of formulas and tables. */
const CELL = fc.string({
  unit: fc.oneof(
    fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', "'", '＝', '＠'),
    anyCodePoint,
  ),
  maxLength: 8,
});

it('every text comes back from the CSV, and no cell begins as a formula', async () => {
  await fc.assert(
    fc.asyncProperty(CELL, CELL, async (name, detail) => {
      const csv = await text(reportCsv(of({ ...LINE, name, detail })));
      const [, row = []] = parse(csv) as unknown as readonly (readonly string[])[];
      expect(row).toHaveLength(9);
      // A spreadsheet may separate cells by semicolons or tabs, too.
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]|[;\t\r\n]"*[=+\-@＝＋－＠]/);
      expect([row[3], row[8]].map((cell) => plainCell(cell!))).toEqual([name, detail].map(plainCell));
    }),
  );
});

it('every text comes back from the JSON', async () => {
  await fc.assert(
    fc.asyncProperty(CELL, async (name) => {
      const report = reportJson({}, { lines: of({ ...LINE, name }), audit: of<unknown>() });
      expect(JSON.parse(await text(report))).toMatchObject({ lines: [{ number: 1, name }] });
    }),
  );
});

it('the summary shows nothing of a person, and adds up exactly', async () => {
  const lines = Array.from({ length: 30 }, (_, number): ReportedLine => ({
    ...LINE,
    number,
    amount: '0.10',
  }));
  const summary = await text(summaryCsv('run', of(...lines, { ...LINE, amount: '9999999999999.99' })));
  expect(summary).toBe(
    'batch,state,bank,lines,amount,fees\nrun,accepted,BSB,31,10000000000002.99,387.50\nrun,all,total,31,10000000000002.99,387.50\n',
  );
  expect(await text(summaryCsv('run', of()))).toBe(
    'batch,state,bank,lines,amount,fees\nrun,all,total,0,0.00,0.00\n',
  );
});

const asJson = (lines: AsyncIterable<ReportedLine>): AsyncIterable<string> =>
  reportJson({ batch: 'run' }, { lines, audit: of<unknown>() });

it.each([reportCsv, asJson])('a report comes while its lines are read', async (report) => {
  let read = 0;
  const lines = (async function* () {
    for (;;) {
      read += 1;
      yield await Promise.resolve(LINE);
    }
  })();
  let parts = 0;
  for await (const part of report(lines)) {
    expect(part.length).toBeLessThan(300);
    parts += 1;
    if (parts === 100) break;
  }
  expect(read).toBeLessThanOrEqual(parts);
});
