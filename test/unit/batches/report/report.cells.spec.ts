import { expect, it } from 'vitest';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
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
  state: 'accepted',
  detail: '',
};

async function text(parts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const part of parts) all += part;
  return all;
}

async function* of(...lines: readonly ReportedLine[]): AsyncGenerator<ReportedLine, void> {
  for (const line of lines) yield await Promise.resolve(line);
}

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
      expect(row).toHaveLength(8);
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect([name, `'${name}`]).toContain(row[3]);
      expect([detail, `'${detail}`]).toContain(row[7]);
    }),
  );
});

it('every text comes back from the JSON', async () => {
  await fc.assert(
    fc.asyncProperty(CELL, async (name) => {
      const read = JSON.parse(await text(reportJson(of({ ...LINE, name })))) as readonly object[];
      expect(read).toMatchObject([{ number: 1, name }]);
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
    'batch,state,bank,lines,amount\nrun,accepted,BSB,31,10000000000002.99\nrun,all,total,31,10000000000002.99\n',
  );
  expect(await text(summaryCsv('run', of()))).toBe('batch,state,bank,lines,amount\nrun,all,total,0,0.00\n');
});

it.each([reportCsv, reportJson])('a report comes while its lines are read', async (report) => {
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
