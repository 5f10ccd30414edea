import { csvRow } from '../../common/csv-row.js';
import { formatCents, parseCents } from '../../common/money.js';
import { LINE_STATES, type LineState } from '../../storage/batch-store.js';

/** What a report says of a line. */
export interface ReportedLine {
  readonly number: number;
  readonly key: string;
  readonly reference: string;
  readonly name: string;
  readonly to: string;
  readonly bank: string;
  readonly amount: string;
  readonly fee?: string;
  readonly state: LineState;
  readonly detail: string;
}

const COLUMNS = ['number', 'key', 'reference', 'name', 'to', 'amount', 'fee', 'state', 'detail'] as const;
/** A row for each line. */
export async function* reportCsv(lines: AsyncIterable<ReportedLine>): AsyncIterable<string> {
  yield csvRow(COLUMNS);
  for await (const line of lines) yield csvRow(COLUMNS.map((column) => line[column] ?? ''));
}

/** A JSON object: the fields of the head, and then lists with an element a line. */
export async function* reportJson(
  head: Readonly<Record<string, unknown>>,
  { lines, audit }: { readonly lines: AsyncIterable<ReportedLine>; readonly audit: AsyncIterable<unknown> },
): AsyncIterable<string> {
  const fields = Object.entries(head).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  yield `{${fields.join('')}"audit": `;
  yield* jsonArray(audit, (entry) => entry);
  yield ',\n"lines": ';
  yield* jsonArray(lines, (line) => Object.fromEntries(COLUMNS.map((column) => [column, line[column]])));
  yield '}\n';
}

async function* jsonArray<T>(items: AsyncIterable<T>, shown: (item: T) => unknown): AsyncIterable<string> {
  let before = '[\n';
  for await (const item of items) {
    yield before + JSON.stringify(shown(item));
    before = ',\n';
  }
  yield before === '[\n' ? '[]' : '\n]';
}

/** Lines and sums by state and bank, without a name, an account or a phone: it can be forwarded. */
export async function* summaryCsv(batch: string, lines: AsyncIterable<ReportedLine>): AsyncIterable<string> {
  const sums = new Map<string, { lines: number; cents: bigint; fees: bigint }>();
  const total = { lines: 0, cents: 0n, fees: 0n };
  for await (const { state, bank, amount, fee = '0' } of lines) {
    const group = JSON.stringify([LINE_STATES.indexOf(state), bank]);
    const sum = sums.get(group) ?? { lines: 0, cents: 0n, fees: 0n };
    sums.set(group, sum);
    for (const counted of [sum, total]) {
      counted.lines += 1;
      counted.cents += parseCents(amount) ?? 0n;
      counted.fees += parseCents(fee) ?? 0n;
    }
  }
  yield csvRow(['batch', 'state', 'bank', 'lines', 'amount', 'fees']);
  for (const [group, sum] of [...sums].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [state, bank] = JSON.parse(group) as [number, string];
    yield csvRow([
      batch,
      LINE_STATES[state] ?? '',
      bank,
      sum.lines,
      formatCents(sum.cents),
      formatCents(sum.fees),
    ]);
  }
  yield csvRow([batch, 'all', 'total', total.lines, formatCents(total.cents), formatCents(total.fees)]);
}
