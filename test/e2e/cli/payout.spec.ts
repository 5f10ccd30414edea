import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { Pool } from 'pg';
import { type PayoutLine } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { knownLines } from '../../support/known-lines.js';
import {
  bundleCli,
  CliProcess,
  environmentOf,
  type FinishedCli,
  runCommand,
  runProcess,
} from '../../support/cli-process.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { describeWith, postgresService } from '../../support/services.js';
import { POSTGRES_TERMINATE, SeverableProxy } from '../../support/severable-proxy.js';

/** What a JSON document of the command says. */
interface Said {
  readonly type?: string;
  readonly batch: string;
  readonly digest: string;
  readonly state: string;
  readonly total: { readonly lines: number; readonly amount: string };
  readonly byState: Readonly<Record<string, { readonly lines: number; readonly amount: string }>>;
  readonly blockedLines: readonly { readonly key: string; readonly to: string }[];
}

beforeAll(bundleCli);

describeWith([postgresService], 'nestjs-payments payout', () => {
  let sandbox: PaymentsSandbox;
  let pool: Pool;
  let folder: string;
  let file: string;
  let schema: string;

  beforeEach(async () => {
    sandbox = await PaymentsSandbox.start();
    pool = new Pool({ connectionString: postgresService.url });
    schema = `payout_${randomBytes(6).toString('hex')}`;
    folder = mkdtempSync(join(tmpdir(), 'payout-'));
    file = join(folder, 'salaries.csv');
    await runCommand(['migrate', '--schema', schema], { environment: environment() });
  });
  afterEach(async () => {
    await sandbox.stop();
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
    rmSync(folder, { recursive: true });
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...environmentOf(sandbox),
    DATABASE_URL: postgresService.url,
  });
  const words = (args: readonly string[]): readonly string[] => ['payout', file, ...args, '--schema', schema];
  /** Runs the command in this process. */
  const payout = (...args: readonly string[]): Promise<FinishedCli> =>
    runCommand(words(args), { environment: environment() });
  const list = (...args: readonly string[]): Promise<FinishedCli> =>
    runCommand(['payout', '--list', ...args, '--schema', schema], { environment: environment() });
  /** Starts the command in a process of its own. */
  const start = (...args: readonly string[]): CliProcess =>
    new CliProcess(words(args), { environment: environment() });
  /** An application with the same tables. */
  const application = async (): Promise<PaymentsApp> => {
    const started = await startPaymentsApp({
      ...sandbox.moduleOptions(),
      storage: postgresStorage({ pool, schema }),
    });
    onTestFinished(() => started.app.close());
    return started;
  };
  const said = ({ stdout }: FinishedCli): Said => JSON.parse(stdout) as Said;
  const report = async (): Promise<Said> => said(await payout('--report', '--json'));

  const write = (lines: readonly PayoutLine[]): void => {
    const rows = lines.map(({ key, name, amount, bank_code, account_number }) =>
      [key, name, String(amount), bank_code, account_number].join(','),
    );
    writeFileSync(file, `key,name,amount,bank_code,account_number\n${rows.join('\n')}\n`);
  };
  /** A batch that may be paid. */
  const approved = async (count: number, amount?: string): Promise<readonly PayoutLine[]> => {
    const lines = knownLines(sandbox, count, amount);
    write(lines);
    const { digest } = said(await payout('--check', '--by', 'john', '--json'));
    expect(await payout('--approve', '--by', 'mary', '--digest', digest)).toMatchObject({ code: 0 });
    return lines;
  };
  /** The references that the gateway's ledger has, in order. */
  const ledger = (): readonly string[] =>
    sandbox
      .payouts()
      .map(({ reference }) => reference)
      .sort();
  const references = (lines: readonly PayoutLine[]): readonly string[] =>
    lines.map(({ key }) => `salaries.${key}`).sort();
  /** Runs the batch until it does not pause any more, as it does if the lines that were under way are unknown. */
  const toTheEnd = async (): Promise<FinishedCli> => {
    const run = await payout('--run', '--by', 'john', '--json');
    return run.stdout.includes('"state":"paused"') ? payout('--run', '--by', 'john', '--json') : run;
  };
  /** Calls a function when the gateway has so many payouts. */
  const atPayout = (count: number, then: () => void): void => {
    let seen = 0;
    sandbox.on('payout', () => {
      seen += 1;
      if (seen === count) then();
    });
  };

  it('checks a file, has another person approve it, pays every line once, and reports', async () => {
    const lines = knownLines(sandbox, 3);
    write(lines);
    const check = await payout('--check', '--by', 'john');
    expect(check.code).toBe(0);
    // A slow machine says in between how far it is.
    expect(check.stderr).toMatch(/^(?:\d\/3 lines checked.*\n)*3\/3 lines checked.*\n$/);
    expect(check.stdout).toMatch(/3 lines, TZS\s3,000 and fees; the wallet has TZS\s1,000,000\.\n/);
    const [, next = ''] = /npx nestjs-payments payout (.* --approve .*)$/m.exec(check.stdout) ?? [];
    expect(next).toContain(`--schema ${schema}`);
    const [, digest = ''] = /^Digest of what is to be approved: ([0-9a-f]{64})$/m.exec(check.stdout) ?? [];

    const own = await payout('--approve', '--by', 'john', '--digest', digest);
    expect(own).toMatchObject({ code: 1, stdout: '' });
    expect(own.stderr).toContain('the person who created the batch may not approve it');
    const inCapitals = await payout('--approve', '--by', 'JOHN', '--digest', digest);
    expect(inCapitals).toMatchObject({ code: 1, stdout: '' });
    const early = await payout('--run', '--by', 'john');
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('is checked, so --run does nothing. First: npx nestjs-payments payout');
    expect(ledger()).toEqual([]);

    const typed = next.replace('<person>', 'mary').split(' ');
    expect(await runCommand(['payout', ...typed], { environment: environment() })).toMatchObject({ code: 0 });
    const run = await start('--run', '--by', 'john').finished();
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('3/3 lines sent');
    expect(run.stdout).toMatch(/^The batch salaries is ended\.\n.*\naccepted +3 +TZS\s3,000\n/);
    expect(ledger()).toEqual(references(lines));

    const again = await payout('--run', '--by', 'john');
    expect(again).toMatchObject({ code: 0 });
    expect(ledger()).toHaveLength(3);
    const told = await payout('--report');
    expect(told.stdout).toMatch(/ create +john\n[^]* approve +mary +digest \w+\n[^]* start +john\n/);
  });

  it.each([
    ['Ctrl-C', 'SIGINT'],
    ['the end of its terminal', 'SIGHUP'],
  ] as const)('pauses on %s, and the next run sends the rest', async (_what, signal) => {
    const lines = await approved(150);
    const run = start('--run', '--by', 'john');
    atPayout(30, () => {
      run.kill(signal);
    });
    const paused = await run.finished();
    expect(paused.code).toBe(4);
    expect(paused.stderr).toContain('Pausing: what is being sent ends first.');
    expect(paused.stdout).toContain('The batch salaries is paused: Paused by john.');
    expect(paused.stdout).toContain('--run --by <person>');
    // The summary waits for what was under way.
    expect(paused.stdout).not.toMatch(/^sending /m);
    expect(paused.stdout).toMatch(new RegExp(`^accepted +${ledger().length} `, 'm'));
    const { state, byState } = await report();
    expect(state).toBe('paused');
    expect(byState['sending']).toBeUndefined();
    expect(byState['accepted']?.lines).toBe(ledger().length);
    expect(ledger().length).toBeLessThan(150);

    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 0 });
    expect(ledger()).toEqual(references(lines));
  });

  it('pays every line once if it is killed in the middle, and what stays unknown can be settled', async () => {
    const lines = await approved(150);
    const run = start('--run', '--by', 'john');
    atPayout(50, () => {
      run.kill('SIGKILL');
    });
    expect(await run.finished()).toMatchObject({ code: null });
    const sent = ledger().length;
    // A report of a batch that nobody pays any more sends nothing.
    expect(await report()).toMatchObject({ state: 'running' });
    expect(ledger()).toHaveLength(sent);

    // As if two minutes were over: the dead process might still be waiting for its answers until then.
    await pool.query(`UPDATE ${schema}.payments_journal SET lease_until = clock_timestamp()`);
    const second = await toTheEnd();
    const progress = second.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Said);
    const last = progress.at(-1);
    expect(last).toMatchObject({ type: 'summary', state: 'ended', total: { lines: 150 } });
    expect(progress.slice(0, -1).every(({ type }) => type === 'progress')).toBe(true);
    const unknown = last?.byState['unknown']?.lines ?? 0;
    expect(second.code).toBe(unknown > 0 ? 3 : 0);
    // At most four are under way at once.
    expect(unknown).toBeLessThanOrEqual(4);
    expect(new Set(ledger()).size).toBe(ledger().length);

    const { stdout } = await payout('--report', '--format', 'csv');
    const open = stdout.split('\n').filter((row) => /,unknown,/.test(row));
    expect(open).toHaveLength(unknown);
    const settlements = open.flatMap((row) => ['--settle', `${row.split(',')[1]}=paid`]);
    if (unknown > 0) expect(await payout(...settlements, '--by', 'mary')).toMatchObject({ code: 0 });
    expect((await report()).byState['unknown']).toBeUndefined();
    expect(references(lines)).toEqual(expect.arrayContaining([...ledger()]));
  });

  it('ends with 3 if an outcome is unknown, until somebody settles the line', async () => {
    await approved(2);
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-1' }).dropAfterProcessing();
    const run = await payout('--run', '--by', 'john');
    expect(run.code).toBe(3);
    expect(run.stdout).toMatch(/\nunknown:\nkey .*\nS-1 +BSB \*{4}\d{3} .* no certain answer came/);
    expect(run.stdout).toContain('never pay it another way');
    expect(run.stdout).toContain(
      'or <key>=failed, if the support is certain that no money moved and none will.',
    );
    for (const how of [[], ['--json'], ['--format', 'csv'], ['--format', 'summary']]) {
      expect(await payout('--report', ...how)).toMatchObject({ code: 3, stderr: '' });
    }
    const listed = await list();
    expect(listed).toMatchObject({ code: 3, stderr: '' });
    expect(listed.stdout).toMatch(/\nsalaries +ended +2 +1 +TZS/);
    expect(await list('--json')).toMatchObject({ code: 3 });
    // Too early for a probe: nothing is sent, and the line stays as it is.
    expect(run.stdout).toContain(' --ask-again --by <person> ');
    const asked = await payout('--ask-again', '--by', 'mary');
    expect(asked).toMatchObject({ code: 3, stderr: '' });
    expect(asked.stdout).toContain('mary asked again: 0 lines have another state now.');
    expect(await payout('--settle', 'S-1=paid', '--by', 'mary')).toMatchObject({ code: 0 });
    expect((await report()).byState).toMatchObject({ accepted: { lines: 1 }, paid: { lines: 1 } });
    expect(ledger()).toEqual(['salaries.S-1', 'salaries.S-2']);
    const paid = await payout('--report');
    expect(paid).toMatchObject({ code: 0 });
    expect(paid.stdout).toMatch(/\n\S+Z +settle +mary +S-1, paid\n/);
    expect(await list()).toMatchObject({ code: 0 });
  });

  it('says in its report what the audit trail holds of each step, and nothing of money or recipients', async () => {
    const lines = knownLines(sandbox, 4);
    write(lines.map((line, index) => (index < 2 ? { ...line, name: 'Nobody Known' } : line)));
    await payout('--check', '--by', 'john');
    const two = ['--accept', 'S-1', '--accept', 'S-2', '--because', 'married'];
    const accepted = await payout(...two, '--by', 'john', '--json');
    const { digest } = said(accepted);
    await payout('--approve', '--by', 'mary', '--digest', digest);
    const table = await payout('--report');
    const [, history = ''] = table.stdout.split('\nwhen ');
    expect(history).toMatch(/^ +what +who +details\n/);
    expect(history).toMatch(/ load +john +4 lines, digest \w+\n/);
    expect(history).toMatch(/ check-end +payout-batches +2 blocked\n/);
    expect(history).toMatch(/ accept +john +2 lines, married\n/);
    expect(history).toContain(`  digest ${digest}\n`);
    expect(history).not.toMatch(/TZS|1,?000|Asha|Nobody|0150/);
    const { stdout } = await payout('--report', '--json');
    const { audit } = JSON.parse(stdout) as { audit: readonly { action: string; details: object }[] };
    expect(audit.find(({ action }) => action === 'accept')).toMatchObject({
      by: 'john',
      at: expect.stringMatching(/Z$/) as string,
      details: { keys: ['S-1', 'S-2'], because: 'married' },
    });
    expect(Object.keys(audit.find(({ action }) => action === 'load')?.details ?? {})).toEqual([
      'lines',
      'digest',
    ]);
  });

  it('cancels a batch with an unknown outcome, and ends with 3', async () => {
    await approved(150);
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-1' }).dropAfterProcessing();
    const run = start('--run', '--by', 'john');
    atPayout(30, () => {
      run.kill('SIGINT');
    });
    expect(await run.finished()).toMatchObject({ code: 3 });
    expect(await payout('--report')).toMatchObject({ code: 3 });
    const cancelled = await payout('--cancel', '--by', 'mary', '--json');
    expect(cancelled).toMatchObject({ code: 3, stderr: '' });
    expect(said(cancelled)).toMatchObject({ state: 'cancelled', byState: { unknown: { lines: 1 } } });
  });

  it.each([
    ['S-99=paid', 'The batch "salaries" has no line "S-99"'],
    [
      'S-3=paid',
      'The line "S-3" was never sent as far as the batch knows (--ask-again compares it with the journal)',
    ],
    ['S-2=failed', 'The line "S-2" is paid already'],
    ['S-4=failed', 'The line "S-4" was refused, which moved no money'],
  ])('writes no outcome down if one of them is %s', async (mistyped, says) => {
    const [first, second, third, fourth] = knownLines(sandbox, 4);
    write([first!, second!, { ...third!, name: 'Somebody Else' }, fourth!]);
    const { digest } = said(await payout('--check', '--by', 'john', '--json'));
    await payout('--approve', '--by', 'mary', '--digest', digest, '--without-blocked');
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-1' }).dropAfterProcessing();
    const refusal = { code: 'INVALID_ACCOUNT' };
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-4' }).status(422, refusal);
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 3 });
    expect(await payout('--settle', 'S-2=paid', '--by', 'mary')).toMatchObject({ code: 3 });
    const refused = await payout('--settle', 'S-1=failed', '--settle', mistyped, '--by', 'mary');
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${says}, so no outcome was written down.\n`,
    });
    const one = { lines: 1 };
    expect((await report()).byState).toMatchObject({ unknown: one, paid: one, blocked: one, refused: one });
  });

  it('says what to do if a line that failed is paid after all', async () => {
    await approved(1);
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-1' }).dropAfterProcessing();
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 3 });
    await payout('--settle', 'S-1=failed', '--by', 'mary');
    expect(await payout('--settle', 'S-1=paid', '--by', 'mary')).toMatchObject({
      code: 1,
      stderr:
        'The line "S-1" is failed already (if the gateway paid it, do not pay it again: reconcile shows a "status" ' +
        'exception to --explain), so no outcome was written down.\n',
    });
  });

  it('writes no outcome down if the journal holds another one, and says which, and what to write instead', async () => {
    await approved(4);
    for (const key of ['S-1', 'S-2', 'S-3', 'S-4']) {
      sandbox.next('POST /disbursements/bank', { reference: `salaries.${key}` }).dropAfterProcessing();
    }
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 3 });
    const { journal } = await application();
    await journal.settle('disbursement', 'salaries.S-2', 'failed');
    await journal.settle('disbursement', 'salaries.S-3', 'paid');
    await journal.settle('disbursement', 'salaries.S-4', 'cancelled');
    const settle = (...outcomes: readonly string[]): Promise<FinishedCli> =>
      payout(...outcomes.flatMap((outcome) => ['--settle', outcome]), '--by', 'mary');
    expect(await settle('S-1=paid', 'S-2=paid', 'S-3=failed', 'S-4=paid')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `No outcome was written down. ${[
        ['S-2', 'failed', 'failed'],
        ['S-3', 'paid', 'paid'],
        ['S-4', 'cancelled', 'failed'],
      ]
        .map(
          ([key, outcome, instead]) =>
            `The journal says that the payment of the line "${key}" has ended as ${outcome}, which is final: settle it as ${instead}, or leave it out.`,
        )
        .join(' ')}\n`,
    });
    expect((await report()).byState).toMatchObject({ unknown: { lines: 4 } });
    const right = await settle('S-1=paid', 'S-2=failed', 'S-3=paid', 'S-4=failed');
    expect(right).toMatchObject({ stderr: '' });
    expect((await report()).byState).toMatchObject({ paid: { lines: 2 }, failed: { lines: 2 } });
  });

  it('writes no outcome down if the journal has lost a payment, or holds one of somebody else', async () => {
    const lines = await approved(3);
    const { disbursements } = await application();
    const { bank_code = '', account_number = '', name } = lines[0]!;
    const payment = { bank_code, account_number, account_name: name, remarks: 'advance' };
    await disbursements.bank({ ...payment, reference: 'salaries.S-3', amount: '5' });
    for (const key of ['S-1', 'S-2']) {
      sandbox.next('POST /disbursements/bank', { reference: `salaries.${key}` }).dropAfterProcessing();
    }
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 3 });
    await pool.query(`DELETE FROM ${schema}.payments_journal WHERE reference = 'salaries.S-2'`);
    const outcomes = ['--settle', 'S-1=paid', '--settle', 'S-2=paid', '--settle', 'S-3=paid'];
    expect(await payout(...outcomes, '--by', 'mary')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'No outcome was written down. The journal holds no payment of the line "S-2", or has forgotten it: leave it out. The reference of the line "S-3" belongs to another payment: settle the line as failed, and pay it under another key.\n',
    });
    expect((await report()).byState).toMatchObject({ unknown: { lines: 3 } });
  });

  it('says which outcomes it has written down if a further one cannot be', async () => {
    await approved(2);
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 0 });
    await pool.query(`SET search_path TO ${schema};
      CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE 'no'; END $$ LANGUAGE plpgsql;
      CREATE TRIGGER refuse BEFORE UPDATE ON payments_journal FOR EACH ROW
        WHEN (NEW.reference = 'salaries.S-2') EXECUTE FUNCTION refuse();`);
    const failed = await payout('--settle', 'S-1=paid', '--settle', 'S-2=paid', '--by', 'mary');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('Written down before it failed, which stays: S-1 is paid.\n');
    expect((await report()).byState).toMatchObject({ accepted: { lines: 1 }, paid: { lines: 1 } });
  });

  it('refuses a file that was changed after the check, and a digest of other lines', async () => {
    const lines = await approved(2);
    write(lines.map((line) => ({ ...line, amount: '2000' })));
    for (const action of [['--check'], ['--run'], ['--accept', 'S-1', '--because', 'so']]) {
      const refused = await payout(...action, '--by', 'john');
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('differs from what was loaded as "salaries", and nothing was done');
      expect(refused.stderr).toContain('--name salaries-b');
    }
    expect(ledger()).toEqual([]);
    const other = await payout('--check', '--by', 'john', '--name', 'other', '--json');
    expect(other).toMatchObject({ code: 0 });
    const { digest } = said(other);
    const wrong = ['--approve', '--by', 'mary', '--name', 'other', '--digest'];
    const refused = await payout(
      ...wrong,
      digest.replace(/./, (first) => (first === '0' ? '1' : '0')),
    );
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('the digest is not that of the lines');
    expect(await payout(...wrong, digest)).toMatchObject({ code: 0 });
  });

  it('does nothing to a batch whose name happens to be in a path that leads nowhere', async () => {
    await approved(1);
    sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    const elsewhere = (...args: readonly string[]): Promise<FinishedCli> =>
      runCommand(['payout', join(folder, 'no', 'salaries.csv'), ...args, '--schema', schema], {
        environment: environment(),
      });
    const actions = [
      ['--run'],
      ['--accept', 'S-1', '--because', 'so'],
      ['--settle', 'S-1=failed'],
      ['--ask-again'],
    ];
    for (const action of actions) {
      const refused = await elsewhere(...action, '--by', 'john');
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('salaries.csv here, and nothing was done. If you mean the batch');
    }
    expect(ledger()).toEqual([]);
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 3 });
    write(knownLines(sandbox, 2));
    for (const action of [['--settle', 'S-1=failed'], ['--ask-again']]) {
      const other = await payout(...action, '--by', 'john');
      expect(other).toMatchObject({ code: 1, stdout: '' });
      expect(other.stderr).toContain('differs from what was loaded as "salaries", and nothing was done');
    }
    expect((await report()).byState).toMatchObject({ unknown: { lines: 1 } });
  });

  it('says of a folder that it is no file', async () => {
    const refused = await runCommand(
      ['payout', folder, '--name', 'x', '--check', '--by', 'john', '--schema', schema],
      {
        environment: environment(),
      },
    );
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${folder} is a folder, and nothing was done.\n`);
  });

  it('lists every bad line of a file, and loads nothing', async () => {
    writeFileSync(
      file,
      'key,name,amount,bank_code,account_number\nS 1,Asha,1000,BSB,0150234567811\nS-2,Juma,much,BSB,0150234567812\n',
    );
    const refused = await payout('--check', '--by', 'john');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^Nothing was done:\n {2}line 2: key must be .*\n {2}line 3: amount must be/,
    );
    expect(await list('--json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it('blocks a line with another name, which somebody accepts or leaves out', async () => {
    const [first, second, third] = knownLines(sandbox, 3);
    write([first!, { ...second!, name: 'Somebody Else' }, { ...third!, name: 'Nobody Known' }]);
    const check = await payout('--check', '--by', 'john');
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('2 blocked, which somebody has to look at:');
    expect(check.stdout).toMatch(/S-2 +BSB \*{4}\d{3} +TZS\s1,000 +Somebody Else +Asha/);
    expect(check.stdout).not.toContain(String(second!.account_number));
    expect(check.stdout).toContain('--accept "S-2,S-3" --because "<why>"');
    const digestIn = ({ stdout }: FinishedCli): string => /--digest (\w+)/.exec(stdout)?.[1] ?? '';

    const accepted = await payout('--accept', 'S-2', '--because', 'married', '--by', 'john');
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    // An approval of what was looked at before does not count.
    const stale = ['--approve', '--by', 'mary', '--digest', digestIn(check), '--without-blocked'];
    expect(await payout(...stale)).toMatchObject({ code: 1, stdout: '' });
    const approve = ['--approve', '--by', 'mary', '--digest', digestIn(accepted)];
    const refused = await payout(...approve);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('or write --without-blocked to leave them unpaid');
    const approved = await payout(...approve, '--without-blocked');
    expect(approved).toMatchObject({ code: 0 });
    // What stays unpaid is not called approved.
    expect(approved.stdout).toMatch(/^mary approved 2 lines, TZS\s2,000\.\n/);
    const run = await payout('--run', '--by', 'john');
    expect(run).toMatchObject({ code: 5 });
    expect(run.stdout).toContain('What was refused or blocked moved no money');
    expect(ledger()).toEqual(['salaries.S-1', 'salaries.S-2']);
  });

  it('says how to continue if the database fails during a run', async () => {
    await approved(3);
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-2' }).delay('2s');
    const run = payout('--run', '--by', 'john');
    await eventually(() => {
      expect(ledger()).toContain('salaries.S-2');
    });
    await pool.query(`ALTER SCHEMA ${schema} RENAME TO ${schema}_away`);
    const failed = await run;
    await pool.query(`ALTER SCHEMA ${schema}_away RENAME TO ${schema}`);
    expect(failed.code).toBe(4);
    expect(failed.stderr).toContain('Lines may have been sent: pay none of them another way. To continue:');
    expect(failed.stderr).toContain(' --run --by john ');
  });

  it('ends after its result if the database says nothing any more', async () => {
    await approved(1);
    const proxy = await SeverableProxy.before(postgresService.url);
    onTestFinished(() => proxy.close());
    proxy.fallSilentAt(POSTGRES_TERMINATE);
    const report = await runProcess(words(['--report', '--json']), {
      environment: { ...environment(), DATABASE_URL: proxy.url },
    });
    expect(report).toMatchObject({ code: 4, stderr: '' });
    expect(said(report)).toMatchObject({ batch: 'salaries', state: 'approved' });
  });

  it('stops before it sends anything if the wallet holds too little', async () => {
    await approved(2, '900000');
    const stopped = await payout('--run', '--by', 'john');
    expect(stopped.code).toBe(4);
    expect(stopped.stderr).toContain('the wallet holds');
    expect(ledger()).toEqual([]);
  });

  it('writes a report that only its owner can read, without accounts', async () => {
    const lines = await approved(2);
    await payout('--run', '--by', 'john');
    const out = join(folder, 'paid.csv');
    const written = await payout('--report', '--format', 'csv', '--out', out);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const text = readFileSync(out, 'utf8');
    expect(text.split('\n')).toHaveLength(4);
    for (const { account_number } of lines) expect(text).not.toContain(account_number);
    expect((await payout('--report', '--format', 'csv')).stdout).toBe(text);
    const over = await payout('--report', '--format', 'json', '--out', file);
    expect(over).toMatchObject({ code: 2, stdout: '' });
    expect(over.stderr).toContain('--out exists already, and nothing was written');
    expect(readFileSync(file, 'utf8')).toContain(String(lines[0]?.account_number));
    const missing = await payout('--report', '--format', 'csv', '--out', join(folder, 'no', 'paid.csv'));
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain('--out cannot be written (ENOENT)');
  });

  it('cancels a batch forever, and lists what there is', async () => {
    await approved(2);
    expect(await payout('--cancel', '--by', 'mary')).toMatchObject({ code: 0 });
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 4 });
    expect(ledger()).toEqual([]);
    const listed = await list();
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(
      /^batch +state +lines +unknown +amount\nsalaries +cancelled +2 +0 +TZS\s2,000\n$/,
    );
    expect(await payout('--report')).toMatchObject({ code: 4 });
    const same = await payout('--check', '--by', 'john', '--name', 'again');
    expect(same).toMatchObject({ code: 1 });
    expect(same.stderr).toContain(
      'loaded as "salaries", so nothing was loaded. To pay all of them under this name, whatever that batch has paid, name it: --again <batch>.',
    );
    const wanted = await payout('--check', '--by', 'john', '--name', 'again', '--again', 'salaries');
    expect(wanted).toMatchObject({ code: 0 });
  });

  it('says that the tables of a server have to be migrated', async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    write(knownLines(sandbox, 1));
    const refused = await payout('--check', '--by', 'john');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`run npx nestjs-payments migrate --schema ${schema}.`);
    const variables = `${file}.env`;
    writeFileSync(variables, 'OTHER=1\n');
    const elsewhere = await payout('--report', '--dotenv', variables);
    expect(elsewhere.stderr).toContain(`migrate --schema ${schema} --dotenv ${variables}.`);
    expect(refused.stderr).not.toContain(new URL(postgresService.url).password || 'postgres://');
  });
});
