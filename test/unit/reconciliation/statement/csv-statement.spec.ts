import { afterEach, describe, expect, it, vi } from 'vitest';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { csvStatement } from '../../../../lib/reconciliation/statement/csv-statement.js';
import { type CsvStatementOptions } from '../../../../lib/reconciliation/statement/statement-options.js';
import { type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';

const HEAD = 'Date,Type,Reference,Provider Reference,Amount,Fee,Recipient,Currency,Status';

async function rowsOf(
  stream: CsvStatementOptions['stream'],
  options: Omit<CsvStatementOptions, 'stream'> = {},
): Promise<StatementRow[]> {
  const rows = [];
  for await (const row of csvStatement({ stream, ...options }).rows()) rows.push(row);
  return rows;
}

describe('a statement', () => {
  it('is read as the emulator writes it', async () => {
    const text = `${HEAD}
2026-11-20T05:00:00.000Z,Collection,ORDER-1,PR-1,10000.00,250.00,255712345678,TZS,Success
2026-11-20T08:00:00+03:00,Payout,SALARY-1,PR-2,5000.00,100.00,0150-234 567,TZS,Paid
2026-11-20T05:00:00Z,Adjustment,,,1000000.00,,,TZS,Success
2026-11-20T05:00:00Z,Payout,SALARY-2,,5000.00,,255712345678,TZS,Failed
2026-11-20T05:00:00Z,Fee,,,500,-,,TZS,Success
`;
    const at = new Date('2026-11-20T05:00:00Z');
    expect(await rowsOf(text)).toEqual([
      {
        row: 2,
        kind: 'collection',
        reference: 'ORDER-1',
        amount: '10000.00',
        fee: '250.00',
        at,
        recipient: '255712345678',
        isFailed: false,
      },
      {
        row: 3,
        kind: 'payout',
        reference: 'SALARY-1',
        amount: '5000.00',
        fee: '100.00',
        at,
        recipient: '0150234567',
        isFailed: false,
      },
      {
        row: 4,
        kind: 'other',
        reference: undefined,
        amount: '1000000.00',
        fee: undefined,
        at,
        recipient: undefined,
        isFailed: false,
      },
      {
        row: 5,
        kind: 'payout',
        reference: 'SALARY-2',
        amount: '5000.00',
        fee: undefined,
        at,
        recipient: '255712345678',
        isFailed: true,
      },
      {
        row: 6,
        kind: 'fee',
        reference: undefined,
        amount: '-500.00',
        fee: undefined,
        at,
        recipient: undefined,
        isFailed: false,
      },
    ]);
  });

  it('is read with other columns and words', async () => {
    const text = 'ref; AMT ;Done At;What;Result\nA-1;"1.234,50";20/11/2026 08:00;Money  In;OK\n';
    expect(
      await rowsOf(Buffer.from(`\ufeff${text}`), {
        columns: { reference: 'Ref', amount: 'Amt', at: 'done at', kind: 'What', status: 'Result' },
        kinds: { 'money in': 'collection', 'Money In': 'collection', collection: 'other' },
        succeeded: ['ok'],
        timeZone: 'Africa/Dar_es_Salaam',
        dateFormat: 'DD/MM/YYYY',
        decimal: ',',
        thousands: '.',
      }),
    ).toMatchObject([
      { row: 2, kind: 'collection', amount: '1234.50', at: new Date('2026-11-20T05:00:00Z') },
    ]);
  });

  it.each<[string, string, Omit<CsvStatementOptions, 'stream'>?]>([
    ['20/11/2026 9:05', '2026-11-20T06:05:00Z', { dateFormat: 'DD/MM/YYYY' }],
    ['11/20/2026 2:05 PM', '2026-11-20T11:05:00Z', { dateFormat: 'MM/DD/YYYY' }],
    ['11/20/2026 2:05\u202fPM', '2026-11-20T11:05:00Z', { dateFormat: 'MM/DD/YYYY' }],
    ['20/11/2026\u00a02:05\u00a0p.m.\u202f+0300', '2026-11-20T11:05:00Z', { dateFormat: 'DD/MM/YYYY' }],
    ['11/20/2026 12:05:30am', '2026-11-19T21:05:30Z', { dateFormat: 'MM/DD/YYYY' }],
    ['11/20/2026 12:05 p.m.', '2026-11-20T09:05:00Z', { dateFormat: 'MM/DD/YYYY' }],
    ['2026-11-20 14:05:09+03', '2026-11-20T11:05:09Z'],
    ['2026-11-20 14:05:09.123456-03', '2026-11-20T17:05:09.123Z'],
    ['2026-11-20 2:05 PM +0300', '2026-11-20T11:05:00Z'],
    ['20-11-2026 14:05', '2026-11-20T11:05:00Z', { dateFormat: 'DD/MM/YYYY' }],
    ['2026-11-20 14:05', '2026-11-20T11:05:00Z'],
  ])('has the time %s', async (time, instant, options) => {
    const text = `Date,Type,Reference,Amount\n${time},Payout,A-1,100\n`;
    const [row] = await rowsOf(text, { timeZone: 'Africa/Dar_es_Salaam', ...options });
    expect(row?.at).toEqual(new Date(instant));
  });

  it('has amounts with the sign of the wallet, and needs no kind then', async () => {
    const text = `Date,Reference,Amount,Fee
2026-11-20T05:00:00Z,A,100,IN
2026-11-20T05:00:00Z,B,-100,OUT
2026-11-20T05:00:00Z,C,0,
2026-11-20T05:00:00Z,D,100,0.00
2026-11-20T05:00:00Z,E,100,-0.00
`;
    // The fees of all rows of a kind have a sign, or none has.
    for (const [collected, paid] of [
      ['5', '5'],
      ['-5', '-5'],
      ['5', '-5'],
    ] as const)
      expect(
        await rowsOf(text.replace('IN', collected).replace('OUT', paid), { signed: true }),
      ).toMatchObject([
        { kind: 'collection', amount: '100.00', fee: '5.00' },
        { kind: 'payout', amount: '100.00', fee: '5.00' },
        { kind: 'other', amount: '0.00', fee: undefined },
        { kind: 'collection', amount: '100.00', fee: '0.00' },
        { kind: 'collection', amount: '100.00', fee: '0.00' },
      ]);
  });

  it('has signs beside kinds', async () => {
    const text = `Date,Type,Reference,Amount
2026-11-20T05:00:00Z,payout,A,-100
2026-11-20T05:00:00Z,fee,,-3
2026-11-20T05:00:00Z,fee,,2
2026-11-20T05:00:00Z,other,,-7
`;
    expect(await rowsOf(text, { signed: true })).toMatchObject([
      { kind: 'payout', amount: '100.00' },
      { kind: 'fee', amount: '-3.00' },
      { kind: 'fee', amount: '2.00' },
      { kind: 'other', amount: '-7.00' },
    ]);
  });

  it('leaves out what is pending, and columns that are switched off', async () => {
    const text = `Date,Type,Reference,Amount,Status,Currency
2026-11-20T05:00:00Z,payout,A,100,Pending,TZS
2026-11-20T05:00:00Z,payout,B,100,In review,TZS
2026-11-20T05:00:00Z,payout,C,100,Paid,USD
`;
    const options = { pending: ['in review'], columns: { currency: false, reference: false } } as const;
    expect(await rowsOf(text, options)).toMatchObject([{ row: 4, reference: undefined }]);
  });

  it.each(['2.55713E+11', '2.55713E11', '25571312345.0', '"=""0713123456"""', '=0150234567801'])(
    'has no recipient in place of %s, which a spreadsheet made of a number',
    async (cell) => {
      const text = `Date,Type,Reference,Amount,Recipient\n2026-11-20T05:00:00Z,Payout,A,100,${cell}\n`;
      expect(await rowsOf(text)).toMatchObject([{ reference: 'A', recipient: undefined }]);
    },
  );

  it.each(['1E5', '7E12', '2.5E11', '255712345678.0', "'s-1"])(
    'has the reference %s, which may be one of the merchant',
    async (reference) => {
      const text = `Date,Type,Reference,Amount\n2026-11-20T05:00:00Z,payout,${reference},100\n`;
      expect(await rowsOf(text)).toMatchObject([{ reference }]);
    },
  );

  it('takes back the apostrophe in front of a formula', async () => {
    const text = "Date,Type,Reference,Amount\n2026-11-20T05:00:00Z,payout,'=1+1,100\n";
    expect(await rowsOf(text)).toMatchObject([{ reference: '=1+1' }]);
  });

  it('has cells without the blanks around them, inside of quotation marks, too', async () => {
    const text = `${HEAD}\n" 2026-11-20T05:00:00Z ", Payout ,"\u00a0ORDER-1 ",," 10.00 ","",,TZS," Paid "\n`;
    expect(await rowsOf(text)).toMatchObject([{ reference: 'ORDER-1', amount: '10.00', fee: undefined }]);
  });

  it.each([
    ['\n', '\r\n'],
    ['\r\n', '\n'],
    ['\r', '\r'],
  ])('has the lines of its file, with the line ends %j and %j', async (first, second) => {
    const row = '2026-11-20T05:00:00Z,payout,A,100';
    const text = ['Date,Type,Reference,Amount', row].join(first) + first + [row, '', row].join(second);
    expect((await rowsOf(text)).map((one) => one.row)).toEqual([2, 3, 5]);
  });

  it('says with its first line alone that nothing moved', async () => {
    expect(await rowsOf(`${HEAD}\n`)).toEqual([]);
  });

  it('is read once', () => {
    const statement = csvStatement({ stream: HEAD });
    statement.rows();
    expect(() => statement.rows()).toThrow('read once: call csvStatement() again');
  });

  it('has the name of its file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'statement-')), 'november.csv');
    writeFileSync(path, HEAD);
    const stream = createReadStream(path);
    const statement = csvStatement({ stream });
    expect(statement.name).toBe('november.csv');
    expect(csvStatement({ stream: '', name: 'mine' }).name).toBe('mine');
    expect(csvStatement({ stream: '' }).name).toBe('statement');
    for await (const row of statement.rows()) expect.unreachable(`line ${row.row}`);
    expect(stream.destroyed).toBe(true);
  });
});

describe('a statement whose file does not exist', () => {
  it('says so when it is read, however much later that is', async () => {
    const stream = createReadStream(join(tmpdir(), 'not-there.csv'));
    const statement = csvStatement({ stream });
    // Without a listener the process would end now.
    await new Promise<void>((resolve) => stream.once('close', resolve));
    await expect(statement.rows()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('closes a file that nobody reads', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'statement-')), 'november.csv');
    writeFileSync(path, HEAD);
    const stream = createReadStream(path);
    void csvStatement({ stream }).discard?.();
    await new Promise<void>((resolve) => stream.once('close', resolve));
    expect(stream.destroyed).toBe(true);
  });

  it('has no rows after it was closed', () => {
    const statement = csvStatement({ stream: HEAD });
    void statement.discard?.();
    expect(() => statement.rows()).toThrow('read once: call csvStatement() again with a new stream');
  });
});

describe('the options of a statement', () => {
  it.each<readonly [object, string]>([
    [{ stream: 7 }, 'option `stream` is no stream'],
    [{ stream: '', colums: {} }, 'option `colums` does not exist: did you mean `columns`?'],
    [{ stream: '', rows: [] }, 'option `rows` does not exist: write one of stream, name, columns'],
    [{ stream: '', columns: { Amount: 'X', amonut: 'Y' } }, '2 options are wrong'],
    [
      { stream: '', columns: { amonut: 'Y' } },
      'option `columns.amonut` does not exist: did you mean `columns.amount`?',
    ],
    [{ stream: '', name: ' ' }, 'option `name` must be a text for people'],
    [{ stream: '', columns: [] }, 'option `columns` must be an object'],
    [{ stream: '', columns: { ref: 'Ref' } }, 'option `columns.ref` does not exist'],
    [{ stream: '', columns: { amount: false } }, 'option `columns.amount` must be the name of a column'],
    [
      { stream: '', columns: { amount: 'X', fee: 'x ' } },
      'option `columns.fee` names the column of `amount`',
    ],
    [
      { stream: '', kinds: { in: 'money' } },
      'option `kinds` must map words to collection, payout, fee, other',
    ],
    [{ stream: '', kinds: ['in'] }, 'option `kinds` must'],
    [
      { stream: '', kinds: { 'Cash IN': 'collection', in: 'other', 'cash  in': 'payout' } },
      "option `kinds` says two things of 'cash in', collection and payout: write it once.",
    ],
    [{ stream: '', failed: 'Failed' }, 'option `failed` must be a list of words'],
    [
      { stream: '', failed: ['Odd'], pending: ['odd'] },
      "option `pending` names 'odd', which another list names",
    ],
    [{ stream: '', timeZone: 'Dar' }, 'option `timeZone` is no time zone'],
    [
      { stream: '', dateFormat: 'YYYY' },
      'option `dateFormat` is not known: write "DD/MM/YYYY" or "MM/DD/YYYY"',
    ],
    [{ stream: '', thousands: '.' }, 'option `thousands` is what stands before the cents'],
    [{ stream: '', decimal: ',', thousands: ',' }, 'option `thousands` is what stands before the cents'],
    [{ stream: '', signed: 'yes' }, 'option `signed` must be true or false'],
    [{ stream: '', maxRowBytes: 10 }, 'option `maxRowBytes` must be a whole number from 1000 to 10000000'],
  ])('are refused: %j', (options, problem) => {
    const make = (): unknown => csvStatement(options as CsvStatementOptions);
    expect(make).toThrow(PaymentsConfigError);
    expect(make).toThrow(problem);
  });
});

describe('without csv-parse', () => {
  afterEach(() => {
    vi.doUnmock('csv-parse');
  });

  it('says what to install', async () => {
    vi.doMock('csv-parse', () => {
      throw new Error('Cannot find package');
    });
    const refused = rowsOf(HEAD);
    await expect(refused).rejects.toBeInstanceOf(PaymentsConfigError);
    await expect(refused).rejects.toThrow('csvStatement() needs csv-parse: run npm install csv-parse.');
  });
});
