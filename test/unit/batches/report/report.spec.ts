import { expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
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

it('the CSV has a row for each line, and no cell becomes a formula or breaks its row', async () => {
  const name = '=cmd|"/C calc",\n!A0';
  const rows: unknown = parse(
    await text(reportCsv(of(LINE, { ...LINE, number: 2, name, detail: '@SUM(1)' }))),
  );
  expect(rows).toEqual([
    ['number', 'key', 'reference', 'name', 'to', 'amount', 'state', 'detail'],
    ['1', 'S-1', 'run.S-1', 'Asha Mushi', 'BSB ****801', '1000.00', 'accepted', ''],
    ['2', 'S-1', 'run.S-1', `'${name}`, 'BSB ****801', '1000.00', 'accepted', "'@SUM(1)"],
  ]);
});

it.each([[[]], [[LINE]], [[LINE, LINE]]])('the JSON of %# lines can be read', async (lines) => {
  const { bank: _bank, ...shown } = LINE;
  expect(JSON.parse(await text(reportJson(of(...lines))))).toEqual(lines.map(() => shown));
});

it('the summary has sums by state and bank, and nobody in it', async () => {
  const summary = await text(
    summaryCsv(
      'run',
      of(
        LINE,
        { ...LINE, amount: '0.50' },
        { ...LINE, bank: 'mobile money', amount: '7.00' },
        { ...LINE, state: 'unknown', amount: '5.00' },
      ),
    ),
  );
  expect(summary.trimEnd().split('\n')).toEqual([
    'batch,state,bank,lines,amount',
    'run,accepted,BSB,2,1000.50',
    'run,accepted,mobile money,1,7.00',
    'run,unknown,BSB,1,5.00',
    'run,all,total,4,1012.50',
  ]);
});
