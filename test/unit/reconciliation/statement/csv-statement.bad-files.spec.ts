import { describe, expect, it } from 'vitest';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { csvStatement } from '../../../../lib/reconciliation/statement/csv-statement.js';
import { type CsvStatementOptions } from '../../../../lib/reconciliation/statement/statement-options.js';
import { eventually } from '../../../support/eventually.js';

type Options = Omit<CsvStatementOptions, 'stream'>;

const HEAD = 'Date,Type,Reference,Amount,Fee,Recipient,Currency,Status';
const ROW = '2026-11-20T05:00:00Z,Payout,Mushi-1,100.00,5.00,0150234567801,TZS,Paid';

/** A row with other cells. */
function row(cells: Readonly<Record<string, string>>): string {
  const names = HEAD.split(',');
  return ROW.split(',')
    .map((cell, index) => cells[names[index] ?? ''] ?? cell)
    .join(',');
}

/** The sentence, and how many rows came before it. */
async function problemOf(
  stream: CsvStatementOptions['stream'],
  options: Options = {},
): Promise<{ readonly problem: string; readonly rows: number }> {
  let rows = 0;
  try {
    for await (const { row: line } of csvStatement({ stream, ...options }).rows()) rows += line > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) throw error;
    const [problem = '', ...more] = Object.values(error.errors).flat();
    expect(more).toEqual([]);
    expect(problem).not.toMatch(/Mushi|0150/);
    return { problem, rows };
  }
  throw new Error('The statement was read.');
}

describe('a statement that is no table', () => {
  it.each<readonly [string, string | Uint8Array, string]>([
    ['nothing', '', 'the file is empty: its first line must name the columns'],
    ['empty lines', '\n\n,,\n', 'the file is empty'],
    ['UTF-16', Buffer.from(`\ufeff${HEAD}\n${ROW}`, 'utf16le'), 'the file is not in UTF-8: save it as'],
    ['UTF-16 without its mark', Buffer.from(`${HEAD}\n${ROW}`, 'utf16le'), 'the file is not in UTF-8'],
    ['Latin-1', Buffer.from(`${HEAD}\n${row({ Reference: 'Zoë' })}`, 'latin1'), 'the file is not in UTF-8'],
    ['a NUL', `${HEAD}\n${row({ Reference: 'A\0' })}`, 'the file is not in UTF-8'],
    ['tabs', `${HEAD}\n${ROW}`.replaceAll(',', '\t'), 'the columns have tabs between them'],
    [
      'no first line',
      `${ROW}\n${ROW}`,
      "and 'Reference' is missing, 'Amount' is missing, 'Date' is missing, 'Type' is missing: write",
    ],
    [
      'other columns',
      'When,What,Merchant Ref,Amt\n1,2,3,4',
      `'Reference' is missing, 'Amount' is missing, 'Date' is missing, 'Type' is missing: write for example columns: { reference: "Merchant Ref", amount: "Amt" }`,
    ],
    ...['Statement of November', 'sep=;', 'Account 0150234567801;from 2026-11-20'].map(
      (title) =>
        [
          `the line ${title} above the names`,
          `${title}\n${HEAD}\n${ROW}`,
          "delete the first line if it is a title, or a line such as 'sep=;'",
        ] as const,
    ),
    ['a column twice', `${HEAD},amount \n${ROW},1`, "'Amount' is there twice"],
    ['a column that is cut off', HEAD.slice(0, 18), "'Reference' is missing, 'Amount' is missing: write"],
    [
      'a row that is cut off',
      `${HEAD}\n${ROW}\n${ROW.slice(0, 30)}`,
      'line 3: it has another number of cells than',
    ],
    ['a cell too many', `${HEAD}\n${ROW},more\n${ROW}`, 'line 2: it has another number of cells than'],
    [
      'a word that is cut off',
      `${HEAD}\n${ROW}\n${ROW.slice(0, -1)}`,
      "line 3: 'Status' is in none of the lists",
    ],
    [
      'a formula',
      `${HEAD}\n${ROW}\n${row({ Recipient: '="0150234567801"' })}\n`,
      'line 3: a quotation mark is in the middle of a cell',
    ],
    [
      'a mark that is never closed',
      `${HEAD}\n${ROW}\n"${ROW}\n${ROW}\n`,
      'line 3 or below: a quotation mark is never closed',
    ],
  ])('is refused with %s', async (_what, stream, problem) => {
    expect((await problemOf(stream)).problem).toContain(problem);
  });

  it('is refused with a row that is too long', async () => {
    const long = row({ Reference: 'x'.repeat(2_000) });
    expect((await problemOf(`${HEAD}\n${ROW}\n${long}\n`, { maxRowBytes: 1_500 })).problem).toBe(
      'line 3 or below: a quotation mark is never closed, or a row is longer than 1500 bytes',
    );
  });

  it('is refused with a first line without an end, of which little is read', async () => {
    let given = 0;
    const endless = (async function* () {
      for (;;) {
        given += 1;
        yield await Promise.resolve('x'.repeat(10_000));
      }
    })();
    expect((await problemOf(endless, { maxRowBytes: 50_000 })).problem).toContain('longer than 50000 bytes');
    expect(given).toBeLessThan(100);
  });
});

describe('the first line of a statement', () => {
  // With a pattern that looks at every character from every other one, this takes many minutes.
  it.each([
    ['brackets', '('.repeat(1_000_000)],
    ['letters', 'a'.repeat(1_000_000)],
    ['words', 'a '.repeat(500_000)],
    ['long names', `${'Amount due ('.repeat(8)},`.repeat(10_000)],
  ])('is refused with a million characters of %s', async (_what, head) => {
    const { problem } = await problemOf(`${head},b\n1,2\n`, { maxRowBytes: 10_000_000 });
    expect(problem).toContain("'Reference' is missing");
    expect(problem.length).toBeLessThan(500);
  });

  it('has a similar name only if it is as short as a name', async () => {
    const problemWith = async (mark: string): Promise<string> =>
      (await problemOf(`Date,Type,Reference,Amt (${mark})\n`)).problem;
    expect(await problemWith('x'.repeat(90))).toContain('columns: { amount: "Amt (xxx');
    expect(await problemWith('x'.repeat(200))).toContain("columns: { reference: 'the name in your file' }");
  });
});

describe('a row of a statement', () => {
  it.each<[string, Readonly<Record<string, string>>, string, Options?]>([
    ['no amount', { Amount: '' }, "'Amount' is empty: every row needs an amount"],
    ['a word', { Amount: 'Mushi' }, "'Amount' is no amount: it must be a number such as 1180.50"],
    ['a currency', { Amount: 'TZS 100' }, "'Amount' is no amount"],
    ['a decimal comma', { Amount: '"1180,50"' }, "'Amount' has a decimal comma: write decimal: ','"],
    [
      'points and a decimal comma',
      { Amount: '"1.180,50"' },
      "'Amount' has a decimal comma: write decimal: ',' and thousands: '.'",
    ],
    ['commas', { Amount: '"1,180.50"' }, "'Amount' has commas between thousands: write thousands: ','"],
    ['many commas', { Amount: '"1,180,500"' }, "'Amount' has commas between thousands: write thousands: ','"],
    ['one comma', { Amount: '"1,180"' }, "'Amount' has a comma: write thousands: ',' if it divides"],
    ['blanks', { Amount: '1 180.50' }, "'Amount' has blanks between thousands: write thousands: ' '"],
    [
      'blanks and a decimal comma',
      { Amount: '"1\u202f180\u00a0000,50"' },
      "'Amount' has blanks between thousands: write thousands: ' ' and decimal: ','",
    ],
    [
      'blanks, beside decimal commas',
      { Amount: '"1 180,50"' },
      "'Amount' has blanks between thousands: write thousands: ' '",
      { decimal: ',' },
    ],
    [
      'many points',
      { Amount: '1.180.500' },
      "'Amount' has points between thousands: write thousands: '.' and decimal: ','",
    ],
    [
      'points, beside decimal commas',
      { Amount: '"1.180,50"' },
      "'Amount' has points between thousands: write thousands: '.'",
      { decimal: ',' },
    ],
    [
      'three decimals',
      { Amount: '1.180' },
      "'Amount' has more than two digits behind '.': write thousands: '.'",
    ],
    [
      'commas in odd places',
      { Amount: '"11,80.50"' },
      "'Amount' is no amount: it must be a number such as 1,180.50",
      { thousands: ',' },
    ],
    ['a point', { Amount: '1180.50' }, 'a number such as 1180,50', { decimal: ',' }],
    ['blanks in odd places', { Amount: '11 80.50' }, "'Amount' is no amount"],
    ['an exponent without a plus', { Amount: '1.23456E11' }, "'Amount' was rounded by a spreadsheet"],
    ['two points', { Amount: '1.180.50' }, "'Amount' is no amount"],
    ['a point at the end', { Amount: '1180.' }, "'Amount' is no amount"],
    ['an exponent', { Amount: '1.2E+06' }, "'Amount' was rounded by a spreadsheet: take the file as"],
    ['too much', { Amount: '10000000000000' }, "'Amount' is too large"],
    ['too much with cents', { Amount: '10000000000000.00' }, "'Amount' is too large"],
    [
      'a negative payout',
      { Amount: '-100' },
      "'Amount' is negative: write signed: true if what left the wallet has a minus in this file; if only payments that " +
        'were taken back have one, read the file with a Statement of your own, which gives them the kind other',
    ],
    ['a negative collection', { Type: 'Collection', Amount: '-100' }, "'Amount' is negative: write signed"],
    ['a negative fee of its own', { Type: 'Fee', Amount: '-100' }, "'Amount' is negative: write signed"],
    ['a negative fee', { Fee: '-5' }, "'Fee' is negative: write signed"],
    [
      'a payout that came in',
      {},
      "'Amount' has no minus, so that this is no payout: if money that came back has a word of its own, write " +
        "kinds: { 'its word': 'other' }; if it has the word of payouts, read the sign alone: columns: { kind: false }",
      { signed: true },
    ],
    [
      'a collection that went out',
      { Type: 'Collection', Amount: '-100' },
      "'Amount' is negative, so that this is no collection: if money that was taken back has a word of its own, write " +
        "kinds: { 'its word': 'other' }; if it has the word of collections, read the sign alone",
      { signed: true },
    ],
    ['a bad fee', { Fee: 'none' }, "'Fee' is no amount"],
    [
      'a second currency',
      { Currency: 'USD' },
      "'Currency' is not TZS: write columns: { currency: false } if every amount is in TZS, and read amounts of another",
    ],
    ['no currency', { Currency: '' }, "'Currency' is not TZS"],
    ['another kind', { Type: 'Mushi' }, "'Type' is no word of kinds: write for example kinds:"],
    ['no kind', { Type: '' }, "'Type' is no word of kinds"],
    ['another status', { Status: 'Reversed' }, "'Status' is in none of the lists: write its word in"],
    [
      'a formula in marks',
      { Reference: '"=A1&""Mushi"""' },
      "'Reference' is a formula: save the file with values",
    ],
    ['a rounded reference', { Reference: '2.55713E+11' }, "'Reference' was rounded by a spreadsheet"],
    ['a rounded reference without a plus', { Reference: '2.55713E11' }, "'Reference' was rounded by"],
    ['no time', { Date: '' }, "'Date' is no time: it must be one such as 2026-11-20 14:05:09"],
    ['a day alone', { Date: '2026-11-20' }, "'Date' has no time of day"],
    ['no zone', { Date: '2026-11-20 08:00' }, "'Date' names no time zone: write for example timeZone:"],
    ['a day first', { Date: '20/11/2026 08:00' }, "'Date' begins with a day or a month: write dateFormat:"],
    [
      'a month first',
      { Date: '11/20/2026 08:00' },
      "'Date' is of a day that is not in the calendar: check dateFormat",
      { dateFormat: 'DD/MM/YYYY', timeZone: 'Africa/Dar_es_Salaam' },
    ],
    ['31 June', { Date: '2026-06-31T08:00:00Z' }, "'Date' is of a day that is not in the calendar"],
    ['29 February 2026', { Date: '2026-02-29T08:00:00Z' }, "'Date' is of a day that is not in the calendar"],
    ['a month 13', { Date: '2026-13-01T08:00:00Z' }, "'Date' is of a day that is not in the calendar"],
    ['a year 1926', { Date: '1926-11-20T08:00:00Z' }, "'Date' is of a day that is not in the calendar"],
    ['an hour 24', { Date: '2026-11-20T24:00:00Z' }, "'Date' is no time"],
    ['a minute 60', { Date: '2026-11-20T08:60:00Z' }, "'Date' is no time"],
    ['an hour 13 in the afternoon', { Date: '2026-11-20 13:00 PM' }, "'Date' is no time"],
    ['an hour 0 in the morning', { Date: '2026-11-20 0:30 AM' }, "'Date' is no time"],
    ['a day alone that looks like a zone', { Date: '20-11-2026' }, "'Date' begins with a day or a month"],
    [
      'a day alone with its format',
      { Date: '20-11-2026' },
      "'Date' has no time of day",
      { dateFormat: 'DD/MM/YYYY' },
    ],
    ['a zone of 15 hours', { Date: '2026-11-20T08:00:00+15:00' }, "'Date' is no time"],
    [
      'an hour that the clocks skipped',
      { Date: '2026-03-29 02:30' },
      "'Date' does not exist in the time zone, because the clocks were set forward",
      { timeZone: 'Europe/Berlin' },
    ],
  ])('is refused with %s, and ends reading', async (_what, cells, problem, options) => {
    const good = row({ Type: 'Other', Amount: '100', Fee: '' });
    const found = await problemOf(`${HEAD}\n${good}\n${row(cells)}\n${good}\n`, options);
    expect(found.problem).toMatch(/^line 3: /);
    expect(found.problem).toContain(problem);
    expect(found.rows).toBe(1);
  });

  it('closes the file when it is refused', async () => {
    let isClosed = false;
    const source = (async function* () {
      try {
        yield await Promise.resolve(`${HEAD}\n${row({ Amount: 'x' })}\n`);
        for (;;) yield await Promise.resolve(`${ROW}\n`.repeat(1_000));
      } finally {
        isClosed = true;
      }
    })();
    await problemOf(source);
    await eventually(() => {
      expect(isClosed).toBe(true);
    });
  });
});

describe('a fee with another sign than those before it', () => {
  // It may be one that was given back, and every fee counts as taken.
  it.each([
    ['-5.00', '5.00'],
    ['5.00', '-5.00'],
  ])('is refused: %s and %s', async (first, second) => {
    const rows = [
      row({ Amount: '-100.00', Fee: '' }),
      row({ Amount: '-100.00', Fee: '0.00' }),
      row({ Amount: '-100.00', Fee: first }),
      row({ Amount: '-100.00', Fee: second }),
    ];
    expect(await problemOf([HEAD, ...rows].join('\n'), { signed: true })).toEqual({
      problem:
        "line 5: 'Fee' has another sign than in line 4: if this fee was given back, move it to a row of its own, " +
        'of the kind fee, or read no fees: columns: { fee: false }',
      rows: 3,
    });
  });
});

describe('a statement without a kind', () => {
  it('is refused, because a payout would pass for a collection', async () => {
    const { problem } = await problemOf('Date,Reference,Amount\n2026-11-20T05:00:00Z,A,100\n');
    expect(problem).toContain("'Type' is missing");
    expect(problem).toContain('or signed: true if what left the wallet has a minus');
  });
});
