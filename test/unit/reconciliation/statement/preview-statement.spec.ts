import { describe, expect, it } from 'vitest';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { csvStatement } from '../../../../lib/reconciliation/statement/csv-statement.js';
import { previewStatement } from '../../../../lib/reconciliation/statement/preview-statement.js';
import { type CsvStatementOptions } from '../../../../lib/reconciliation/statement/statement-options.js';

const HEAD = 'Date,Type,Reference,Provider Reference,Amount,Fee,Recipient,Currency,Status';
const ROW = '2026-11-20T05:00:00Z,Collection,ORDER-1,PR-1,10000.00,250.00,255712345678,TZS,Success';
const NONE = { header: undefined, isProposed: false, problem: undefined };

const rowsOf = async (options: CsvStatementOptions): Promise<readonly unknown[]> => {
  const rows: unknown[] = [];
  for await (const row of csvStatement(options).rows()) rows.push(row);
  return rows;
};

describe('a preview', () => {
  it('says that there is no such file', async () => {
    const stream = createReadStream(join(tmpdir(), 'not-there.csv'));
    await expect(previewStatement({ stream })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('shows the first five rows, and closes the stream', async () => {
    let given = 0;
    let isClosed = false;
    const stream = (async function* () {
      try {
        yield `${HEAD}\n`;
        for (; given < 1_000; given += 1) yield await Promise.resolve(`${ROW}\n`.repeat(100));
      } finally {
        isClosed = true;
      }
    })();
    const preview = await previewStatement({ stream });
    expect(preview.problem).toBeUndefined();
    expect(preview.headers).toEqual(HEAD.split(','));
    expect(preview.rows.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6]);
    expect(preview.columns).toMatchObject({
      reference: { header: 'Reference', isProposed: false, problem: undefined },
      at: { header: 'Date', isProposed: false, problem: undefined },
    });
    expect(given).toBeLessThan(100);
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    [
      'txn_date;Transaction Type;Merchant Ref.;Amount (TZS);Charges;MSISDN;Result;CCY',
      {
        at: 'txn_date',
        kind: 'Transaction Type',
        reference: 'Merchant Ref.',
        amount: 'Amount (TZS)',
        fee: 'Charges',
        recipient: 'MSISDN',
        status: 'Result',
        currency: 'CCY',
      },
    ],
    ['Time,Typ,Refrence,Amont', { at: 'Time', kind: 'Typ', reference: 'Refrence', amount: 'Amont' }],
    ['Type,Time,Ref,Amt,Balance', { kind: 'Type', at: 'Time', reference: 'Ref', amount: 'Amt' }],
  ])('proposes columns with similar names: %s', async (head, mapping) => {
    const preview = await previewStatement({ stream: `${head}\n` });
    expect(preview.problem).toBeUndefined();
    expect(preview.mapping).toEqual(mapping);
    expect(preview.columns.reference).toMatchObject({ header: mapping['reference'], isProposed: true });
    for await (const row of csvStatement({ stream: `${head}\n`, columns: preview.mapping }).rows()) {
      expect.unreachable(`line ${row.row}`);
    }
  });

  it.each([
    ...['Provider', 'Gateway', 'Network', 'MNO', 'Telco', 'Operator', 'Carrier', 'Processor', 'Switch'],
    ...['Bank', 'PSP', 'Issuer', 'Partner', 'System', 'Internal', 'Settlement', 'Payment', 'Our', 'Sender'],
  ])('proposes no reference of somebody else: %s', async (owner) => {
    for (const title of [
      `${owner} Reference`,
      `${owner} Ref.`,
      `${owner}_reference`,
      `Reference (${owner})`,
    ]) {
      const { columns, mapping, problem } = await previewStatement({ stream: `Date,Type,Amount,${title}\n` });
      expect(columns.reference).toEqual({ ...NONE, problem: "'Reference' is missing" });
      expect(mapping).not.toHaveProperty('reference');
      expect(problem).toContain("columns: { reference: 'the name in your file' }");
    }
  });

  it.each(['Receipt No', 'Mpesa Receipt', 'Transaction ID', 'RRN', 'Provider Order ID', 'Trace Number'])(
    'proposes no %s for the reference',
    async (title) => {
      const { columns } = await previewStatement({ stream: `Date,Type,Amount,${title}\n` });
      expect(columns.reference).toEqual({ ...NONE, problem: "'Reference' is missing" });
    },
  );

  it.each(
    [
      ['Merchant Reference', 'merchant_reference', 'Merchant Refrence', 'merchantReference'],
      ['Merchant Ref. No.', 'Your Ref ID', 'Client Reference Number', 'External Ref', 'Order Ref'],
      ['Order No.', 'OrderID', 'Order Nummber', 'Ref', 'Refrence'],
    ].flat(),
  )("proposes the merchant's reference: %s", async (title) => {
    for (const titles of [`Provider Reference,Bank Ref,${title}`, `${title},Network Ref,Reference (Bank)`]) {
      const { columns, problem } = await previewStatement({ stream: `Date,Type,Amount,${titles}\n` });
      expect(columns.reference).toEqual({ header: title, isProposed: true, problem: undefined });
      expect(problem).toBeUndefined();
    }
  });

  it('proposes the reference that says whose it is', async () => {
    const { columns } = await previewStatement({ stream: 'Date,Type,Amount,Ref,Merchant Ref\n' });
    expect(columns.reference.header).toBe('Merchant Ref');
  });

  it.each([
    'Merchant Reference',
    'MerchantRef',
    'Merchant Reference (yours)',
    'Merchants Reference',
    'Client Ref',
  ])('proposes %s in place of a column that does not say whose references it has', async (title) => {
    const stream = `Date,Type,Amount,Reference,${title}\n`;
    const { columns, mapping, problem } = await previewStatement({ stream });
    expect(columns.reference).toEqual({ header: title, isProposed: true, problem: undefined });
    expect(mapping.reference).toBe(title);
    expect(problem).toBeUndefined();
    await expect(rowsOf({ stream })).rejects.toMatchObject({
      errors: {
        statement: [
          `the first line must name the columns, and 'Reference' may be somebody else's: write for example columns: { reference: "${title}" }`,
        ],
      },
    });
    for (const reference of ['Reference', title])
      expect(await rowsOf({ stream, columns: { reference } })).toEqual([]);
  });

  it.each(['External Reference', 'Order ID'])(
    'reads Reference beside %s, which may be that of a network',
    async (title) => {
      const stream = `Date,Type,Amount,${title},Reference\n`;
      const { columns } = await previewStatement({ stream });
      expect(columns.reference).toEqual({ header: 'Reference', isProposed: false, problem: undefined });
      expect(await rowsOf({ stream })).toEqual([]);
    },
  );

  it('reads the default column if the other one has been named for another field, or is a cell', async () => {
    for (const { head, ...options } of [
      { head: 'Date,Type,Amount,Reference,Client Ref', columns: { recipient: 'client ref' } },
      { head: 'Date,Type,Amount,Reference,Order No 7' },
      { head: 'Date,Type,Amount,Reference,Provider Ref' },
    ]) {
      const { columns } = await previewStatement({ stream: `${head}\n`, ...options });
      expect(columns.reference).toEqual({ header: 'Reference', isProposed: false, problem: undefined });
    }
  });

  it.each(['Preference', 'Order Member', 'Referee'])('proposes no %s for the reference', async (title) => {
    const { columns } = await previewStatement({ stream: `Date,Type,Amount,${title}\n` });
    expect(columns.reference).toEqual({ ...NONE, problem: "'Reference' is missing" });
  });

  it('proposes no column twice, and none for a field that is switched off', async () => {
    const { columns, mapping, problem } = await previewStatement({
      stream: 'Date,Amount,Type,Ref\n',
      columns: { reference: 'Ref', recipient: false, status: 'Ref.' },
    });
    expect(columns.recipient).toEqual(NONE);
    expect(columns.fee).toEqual(NONE);
    expect(columns.status).toEqual({ header: undefined, isProposed: false, problem: "'Ref.' is missing" });
    expect(problem).toContain("and 'Ref.' is missing: write for example columns:");
    expect(mapping).toEqual({
      at: 'Date',
      amount: 'Amount',
      kind: 'Type',
      reference: 'Ref',
      recipient: false,
      status: 'Ref.',
    });
  });

  it('needs no kind if amounts have the sign of the wallet', async () => {
    const stream = 'Date,Reference,Amount\n2026-11-20T05:00:00Z,A,-100\n';
    expect(await previewStatement({ stream, signed: true })).toMatchObject({
      rows: [{ kind: 'payout', amount: '100.00' }],
      problem: undefined,
    });
    expect((await previewStatement({ stream })).columns.kind.problem).toBe("'Type' is missing");
  });

  it.each<[string, CsvStatementOptions['stream'], number, number, string]>([
    ['nothing', '', 0, 0, 'the file is empty: its first line must name the columns'],
    [
      'another encoding',
      Buffer.from(HEAD, 'utf16le'),
      0,
      0,
      'the file is not in UTF-8: save it as "CSV UTF-8"',
    ],
    ['no first line', `${ROW}\n`, 9, 0, "the first line must name the columns, and 'Reference' is missing"],
    [
      'a column twice',
      `${HEAD},Fee\n`,
      10,
      0,
      "the first line must name the columns, and 'Fee' is there twice",
    ],
    [
      'a bad row',
      `${HEAD}\n${ROW}\n${ROW.replace('10000', '1,0')}\n`,
      9,
      1,
      'line 3: it has another number of cells',
    ],
    [
      'a bad cell',
      `${HEAD}\n${ROW}\n${ROW.replace('10000.00', '"1,0"')}\n`,
      9,
      1,
      "line 3: 'Amount' has a decimal comma: write decimal: ','",
    ],
  ])('says what is wrong with %s, and throws nothing', async (_what, stream, headers, rows, problem) => {
    const preview = await previewStatement({ stream });
    expect(preview.headers).toHaveLength(headers);
    expect(preview.rows.length).toBeLessThanOrEqual(rows);
    expect(preview.problem).toContain(problem);
    expect(preview.problem).not.toMatch(/ORDER|2557/);
  });

  it('throws what is no content', async () => {
    await expect(previewStatement({ stream: '', signed: 1 } as never)).rejects.toBeInstanceOf(
      PaymentsConfigError,
    );
    const error = new Error('the disk is gone');
    const broken = (async function* () {
      yield HEAD;
      await Promise.reject(error);
    })();
    await expect(previewStatement({ stream: broken })).rejects.toBe(error);
  });
});
