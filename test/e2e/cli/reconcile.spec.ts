import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { addMoney } from 'nestjs-payments';
import { type CloseException, type CloseProposal, type CloseSummary } from 'nestjs-payments/reconciliation';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import '../../support/pglite-template.js';
import { knownLines } from '../../support/known-lines.js';
import {
  bundleCli,
  environmentOf,
  type FinishedCli,
  runCommand,
  runProcess,
} from '../../support/cli-process.js';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';
import { describeWith, postgresService } from '../../support/services.js';
import { POSTGRES_TERMINATE, SeverableProxy } from '../../support/severable-proxy.js';

/** What the JSON document of a day says. */
interface Said {
  readonly summary: CloseSummary;
  readonly exceptions: readonly CloseException[];
  readonly proposals: readonly CloseProposal[];
  readonly settled: number;
}

beforeAll(bundleCli);

describeWith([postgresService], 'nestjs-payments reconcile', () => {
  const place = reconciliationOfSpecs(postgresService.url);
  let shop: ReconciliationApp;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const surroundings = () => {
    const url = new URL(postgresService.url);
    url.searchParams.set('options', place.database.options);
    return { environment: { ...environmentOf(place.sandbox), DATABASE_URL: url.href }, folder };
  };
  const words = (args: readonly string[]): readonly string[] => [
    'reconcile',
    ...args,
    '--schema',
    place.database.schema,
  ];
  const reconcile = (...args: readonly string[]): Promise<FinishedCli> =>
    runCommand(words(args), surroundings());
  const said = ({ stdout }: FinishedCli): Said => JSON.parse(stdout) as Said;
  const write = (name: string, csv: string): void => {
    writeFileSync(join(folder, name), csv);
  };
  /** Lets the day end, and writes its statement. */
  const endDay = async (): Promise<string> => {
    const day = place.today();
    await place.nextDay(0);
    write('a.csv', place.csv(day));
    return day;
  };
  /** A day with a collection, a payout that was paid, and another one whose answer was lost. */
  const busyDay = async (): Promise<string> => {
    const before = await endDay();
    expect(await reconcile('--day', before, '--without-statement')).toMatchObject({ code: 0, stderr: '' });
    await place.pass(9 * HOUR);
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    place.sandbox.next('POST /disbursements/bank', { reference: 'supplier-2' }).dropAfterProcessing();
    await expect(paidOut(shop, 'supplier-2', '30000')).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
    await place.sandbox.payout('supplier-2').pay();
    return endDay();
  };
  const outcomeOf = async (reference: string): Promise<unknown> =>
    (await shop.journal.get('disbursement', reference))?.outcome;

  it('closes a day with its statement once, settles what that proves, and says what became of it', async () => {
    const day = await busyDay();
    const first = await runProcess(words(['--day', day, '--statement', 'a.csv']), surroundings());
    expect(first).toMatchObject({ code: 3 });
    expect(first.stdout).toMatch(
      /^Close of .*\n(.*\n)*Statement a\.csv\n(.*\n)*Exceptions\n {2}Open: 1 \(proven 1\)\.\n/,
    );
    expect(first.stdout).toMatch(/ {2}proven: payout supplier-2\n/);
    expect(first.stderr).toContain('The statement proves the outcome of 2 payments.');
    expect(first.stderr).toContain(
      `npx nestjs-payments reconcile --day ${day} --apply --by <person> --schema "${place.database.schema}"`,
    );
    expect(await outcomeOf('supplier-2')).toBeUndefined();
    expect(first.stderr).toContain('To settle those that are not settled yet:');

    const apply = await reconcile('--day', day, '--apply', '--by', 'mary');
    expect(apply).toMatchObject({ code: 0, stderr: '' });
    expect(apply.stdout).toMatch(/^reference +payment +outcome +row\n/);
    expect(apply.stdout).toMatch(/\nsupplier-2 +payout +paid +\d+\n/);
    expect(apply.stdout).toContain('\n2 of 2 have this outcome now.\nOpen: none.\n');
    expect([await outcomeOf('supplier-1'), await outcomeOf('supplier-2')]).toEqual(['paid', 'paid']);

    const again = await reconcile('--day', day, '--json');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const { summary, exceptions } = said(again);
    expect(summary).toMatchObject({ day, by: 'npx nestjs-payments reconcile', statement: { name: 'a.csv' } });
    expect(exceptions.map(({ kind, state }) => [kind, state])).toEqual([['proven', 'settled']]);
  });

  it('settles nothing of a day that is not closed, and does not close it either', async () => {
    const day = await busyDay();
    const apply = await reconcile('--day', day, '--statement', 'a.csv', '--apply', '--by', 'mary');
    expect(apply).toMatchObject({ code: 1, stdout: '' });
    expect(apply.stderr).toContain(`Nothing was settled: ${day} was not closed. Close it without --apply`);
    expect(await outcomeOf('supplier-1')).toBeUndefined();
    const settle = await reconcile('--day', day, '--statement', 'a.csv', '--json');
    expect(said(settle)).toMatchObject({ summary: { day, by: 'npx nestjs-payments reconcile' } });
  });

  it('closes no day without its statement unless it is told so', async () => {
    const day = await busyDay();
    for (const more of [[], ['--report', 'journal'], ['--json'], ['--time-zone', 'Africa/Dar_es_Salaam']]) {
      const looked = await reconcile('--day', day, ...more);
      expect(looked).toMatchObject({ code: 1, stdout: '' });
      expect(looked.stderr).toContain(`Nothing was done: ${day} was not closed.`);
      expect(looked.stderr).toContain('--without-statement');
    }
    expect(await reconcile('--day', day, '--statement', 'a.csv')).toMatchObject({ code: 3 });
    const again = said(await reconcile('--day', day, '--json'));
    expect(again).toMatchObject({ summary: { statement: { name: 'a.csv' } } });
    const without = await reconcile('--day', day, '--without-statement', '--json');
    expect(said(without)).toEqual(again);
    const zone = await reconcile('--day', day, '--time-zone', 'UTC');
    expect(zone).toMatchObject({ code: 1, stdout: '' });
    expect(zone.stderr).toContain('was closed in the time zone "Africa/Dar_es_Salaam"');
  });

  it('closes no day with a statement of which no row finds a payment unless it is told so', async () => {
    const day = await busyDay();
    const foreign = ['--day', day, '--statement', 'a.csv', '--columns', 'reference=Provider Reference'];
    const refused = await reconcile(...foreign);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Nothing was done:\n {2}none of its payment rows of /);
    expect(refused.stderr).toContain('--columns "reference=the name in your file"; if these references');
    expect(refused.stderr).toContain('write --allow-no-match\n');
    expect(await reconcile('--day', day)).toMatchObject({ code: 1, stdout: '' });
    const told = await reconcile(...foreign, '--allow-no-match', '--json');
    expect(said(told).summary).toMatchObject({ exceptions: { 'missing-here': 3 } });
  });

  it('says which proposals were refused, because somebody settled the payment otherwise meanwhile', async () => {
    const day = await busyDay();
    await reconcile('--day', day, '--statement', 'a.csv');
    await shop.journal.settle('disbursement', 'supplier-2', 'failed');
    const apply = await reconcile('--day', day, '--apply', '--by', 'mary');
    expect(apply).toMatchObject({ code: 1, stderr: '' });
    expect(apply.stdout).toContain('\n1 of 2 have this outcome now.\nsupplier-2 was refused: ');
    const json = await reconcile('--day', day, '--apply', '--by', 'mary', '--json');
    expect(json).toMatchObject({ code: 1 });
    expect(JSON.parse(json.stdout)).toMatchObject({
      settled: 1,
      refused: [{ proposal: { reference: 'supplier-2' } }],
    });
  });

  it('settles nothing of what somebody has explained, and says so', async () => {
    const day = await busyDay();
    const { exceptions } = said(await reconcile('--day', day, '--statement', 'a.csv', '--json'));
    await reconcile('--explain', exceptions[0]!.id, '--note', 'The row is wrong.', '--by', 'mary');
    const apply = await reconcile('--day', day, '--apply', '--by', 'mary');
    expect(apply).toMatchObject({ code: 0, stderr: '' });
    expect(apply.stdout).toContain(
      '\nsupplier-2 is left as it is: somebody has explained its exception (proven).\n1 of 1 have this outcome now.\n',
    );
    expect([await outcomeOf('supplier-1'), await outcomeOf('supplier-2')]).toEqual(['paid', undefined]);
  });

  it('prints the day in each form, with the same balance in the books', async () => {
    const day = await busyDay();
    const { summary } = said(await reconcile('--day', day, '--statement', 'a.csv', '--json'));
    const markdown = await reconcile('--day', day, '--report', 'markdown');
    expect(markdown).toMatchObject({ code: 3, stderr: '' });
    expect(markdown.stdout).toContain(`# Close of ${day}\n`);
    const csv = await reconcile('--day', day, '--report', 'csv');
    expect(csv.stdout.split('\n')[1]).toMatch(/,proven,open,.*,supplier-2,/);
    const journal = await reconcile('--day', day, '--report', 'journal');
    const wallet = journal.stdout.split('\n').filter((line) => line.includes(',Assets:Payments:Wallet,'));
    const change = wallet
      .map((line) => line.split(','))
      .map(([, , , debit, credit]) => (debit ? debit : `-${credit}`));
    expect(addMoney(summary.balance!.opening.balance, ...change)).toBe(summary.balance!.closing.balance);
  });

  it('prints what is open, and takes the word of a person for it', async () => {
    const day = await busyDay();
    // Nobody has a statement, so nobody knows what became of the payout without an answer.
    await reconcile('--day', day, '--without-statement');
    await reconcile('--day', await endDay(), '--without-statement');
    const open = await reconcile('--exceptions');
    expect(open).toMatchObject({ code: 3, stderr: '' });
    expect(open.stdout).toMatch(/^Open: 1\.\n\n {2}unknown: payout supplier-2\n/);
    const [, id = ''] = /^ +id +(\S+)$/m.exec(open.stdout) ?? [];
    const explained = await reconcile('--explain', id, '--note', 'The bank has it.', '--by', 'mary');
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toMatch(/ state +explained\n +note +The bank has it\. \(mary, /);
    expect(await reconcile('--exceptions')).toMatchObject({ code: 0, stdout: 'Nothing is open.\n' });
    const unknown = await reconcile('--explain', 'nobody', '--note', 'x', '--by', 'mary');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/There is no exception "nobody" .*: take the id from --exceptions\.\n$/);
  });

  it("reads the wallet's balance, and keeps it", async () => {
    const read = await reconcile('--balance');
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(read.stdout).toMatch(/^The wallet had TZS\s100,000,000 at .*Z, which is kept:\n/);
    const json = await reconcile('--balance', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ balance: '100000000.00', available: '100000000.00' });
  });

  it('ends after its result if the database says nothing any more', async () => {
    const { environment } = surroundings();
    const proxy = await SeverableProxy.before(environment.DATABASE_URL);
    onTestFinished(() => proxy.close());
    proxy.fallSilentAt(POSTGRES_TERMINATE);
    const open = await runProcess(words(['--exceptions']), {
      environment: { ...environment, DATABASE_URL: proxy.url },
      folder,
    });
    expect(open).toEqual({ code: 0, stdout: 'Nothing is open.\n', stderr: '' });
  });

  it('reads a statement with other names and words, and shows it before', async () => {
    const day = await busyDay();
    const csv = place.csv(day);
    const [head = '', ...rows] = csv
      .replaceAll(',Payout,', ',OUT,')
      .replaceAll(',Collection,', ',IN,')
      .split('\n');
    const names: Record<string, string> = { Date: 'When', Type: 'Way', Reference: 'Your No.', Amount: 'TZS' };
    const renamed = head.split(',').map((name) => names[name] ?? name);
    write('b.csv', [renamed.join(','), ...rows].join('\n'));
    const bare = await reconcile('--statement', 'b.csv', '--preview');
    expect(bare).toMatchObject({ code: 1, stderr: '' });
    const options = [
      '--statement',
      'b.csv',
      '--columns',
      'at=When,kind=Way,reference=Your No.,amount=TZS',
      '--kinds',
      'collection=IN,payout=OUT',
    ];
    const preview = await reconcile(...options, '--preview');
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(preview.stdout).toMatch(/^reference +Your No\.$/m);
    expect(preview.stdout).toMatch(/ supplier-1 +TZS\s20,000 +TZS\s500 /);
    expect(preview.stdout).not.toContain('0150000000999');
    const json = JSON.parse((await reconcile(...options, '--preview', '--json')).stdout) as object;
    expect(json).toMatchObject({ mapping: { at: 'When' } });
    expect(json).not.toHaveProperty('problem');
    expect(JSON.stringify(json)).not.toContain('0150000000999');
    // The command that is printed reads it as the preview did.
    const [, command = ''] = /^ {2}npx nestjs-payments (.*)$/m.exec(preview.stdout) ?? [];
    const typed = [...command.replace('<date>', day).matchAll(/"([^"]*)"|\S+/g)];
    const close = await runCommand(
      typed.map(([word, text]) => text ?? word),
      surroundings(),
    );
    expect(close).toMatchObject({ code: 3 });
    expect(close.stdout).toContain('Statement b.csv\n');
  });

  it('reads a statement without a column that is switched off, and prints that in its command', async () => {
    const day = await endDay();
    write(
      'tsh.csv',
      `${place.csv(day).split('\n')[0] ?? ''}\n${day}T06:00:00Z,Adjustment,,,100.00,,,TSh,Success\n`,
    );
    const bare = await reconcile('--statement', 'tsh.csv', '--preview');
    expect(bare).toMatchObject({ code: 1 });
    expect(bare.stdout).toContain('write --columns "currency=-" if every amount is in TZS');
    const preview = await reconcile('--statement', 'tsh.csv', '--columns', 'currency=-', '--preview');
    expect(preview).toMatchObject({ code: 0, stderr: '' });
    expect(preview.stdout).toMatch(/--columns "?reference=Reference,.*,currency=-"?/);
  });

  it('prints nothing of the first row of a file that names no columns', async () => {
    const row = '2026-11-20T06:00:00Z,Fee,order-1,,100.00,,Asha Mushi,255712345678,TZS,Success';
    write('rows.csv', `${row}\n${row}\n`);
    const bare = await reconcile('--statement', 'rows.csv', '--preview', '--json');
    expect(bare).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(bare.stdout)).toMatchObject({ headers: [], rows: [] });
    expect(bare.stdout).not.toMatch(/Asha|712345678/);
    write('names.csv', 'Date,Type,Reference,Amount,Line 255712345678\n');
    const named = await reconcile('--statement', 'names.csv', '--preview', '--json');
    expect(JSON.parse(named.stdout)).toMatchObject({ headers: ['Date', 'Type', 'Reference', 'Amount'] });
  });

  it('says of a file that is not in UTF-8 only that, and nothing of its columns', async () => {
    const head = 'Reference,Amount,Date,Type\n';
    writeFileSync(join(folder, 'latin.csv'), Buffer.from(`${head}stra\xdfe,1.00,,\n`, 'latin1'));
    const preview = await reconcile('--statement', 'latin.csv', '--preview');
    expect(preview).toMatchObject({ code: 1, stderr: '' });
    expect(preview.stdout).toBe('the file is not in UTF-8: save it as "CSV UTF-8"\n');
  });

  it('closes nothing if the statement is wrong, the day is not over, or was closed otherwise', async () => {
    const today = await reconcile('--day', place.today(), '--without-statement');
    expect(today).toMatchObject({ code: 1, stdout: '' });
    expect(today.stderr).toContain('Nothing was closed');
    const day = await busyDay();
    const csv = place.csv(day);
    write('bad.csv', csv.replace('50000.00', '"50,000.00"'));
    const bad = await reconcile('--day', day, '--statement', 'bad.csv');
    expect(bad).toMatchObject({ code: 1, stdout: '' });
    expect(bad.stderr).toMatch(/^Nothing was done:\n {2}line \d+: .*\n--preview shows/);
    const preview = await reconcile('--statement', 'bad.csv', '--preview', '--json');
    expect((JSON.parse(preview.stdout) as { readonly problem: string }).problem).toContain('--thousands ","');
    expect(await reconcile('--day', day, '--statement', 'a.csv')).toMatchObject({ code: 3 });
    write('less.csv', `${csv.split('\n')[0] ?? ''}\n`);
    const other = await reconcile('--day', day, '--statement', 'less.csv');
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toMatch(
      /was closed with another statement.*Leave --statement out to look at that day/,
    );
  });

  it.each([
    [['--day', '2026-02-30'], '--day'],
    [['--day', '2026-02-03', '--without-statement', '--time-zone', 'Dar'], '--time-zone'],
    [['--day', '2026-02-03', '--statement', 'no.csv'], 'There is no file no.csv here'],
    [['--day', '2026-02-03', '--statement', 'a.csv', '--columns', 'amount=A,fee=A'], '--columns'],
    [['--statement', 'a.csv', '--preview', '--statement-time-zone', 'Dar'], '--statement-time-zone'],
    [['--day', '2026-02-03', '--database', 'postgres://me:hush@db/shop'], '--database takes a path'],
  ])('is not understood from %j', async (args, says) => {
    write('a.csv', 'Reference,Amount,Date,Type\n');
    const refused = await reconcile(...args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(says);
    expect(refused.stderr).toContain('Usage: nestjs-payments reconcile');
    expect(refused.stderr).not.toContain('hush');
  });
});

it('nestjs-payments reconcile works in the file of payout', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const sandbox = await PaymentsSandbox.start();
  const [line] = knownLines(sandbox, 1);
  writeFileSync(
    join(folder, 'a.csv'),
    `key,name,amount,bank_code,account_number\n${[line!.key, line!.name, line!.amount, line!.bank_code, line!.account_number].join(',')}\n`,
  );
  const where = { environment: environmentOf(sandbox), folder };
  const inFile = ['--database', 'own.pglite'];
  await runCommand(['payout', 'a.csv', '--check', '--by', 'john', ...inFile], where);
  const read = await runCommand(['reconcile', '--balance', ...inFile], where);
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(await runCommand(['reconcile', '--exceptions', ...inFile], where)).toMatchObject({
    code: 0,
    stdout: 'Nothing is open.\n',
  });
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

it('nestjs-payments reconcile makes no database where none is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  const refused = await runCommand(['reconcile', '--exceptions'], { folder });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('payments are in the database of your application, so set DATABASE_URL');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
