import { describe, expect, it } from 'vitest';
import { Screen } from '../src/console/screen.js';
import { openJournal } from '../src/journal/journal-database.js';
import { runPayroll } from '../src/payroll.js';
import { Settings } from '../src/settings.js';
import { SAMPLE_FILE } from './payroll.desk.js';
import { desk, file, sandbox, startMonths } from './payroll.months.js';

startMonths();

describe('the file that comes with the sample', () => {
  it('is paid as its README says', async () => {
    const { out } = await desk.run('check', SAMPLE_FILE);
    expect(out).toContain('Different names in line 8:');
    expect(out.match(/similar$/gm)).toHaveLength(3);
    expect(await desk.run('pay', SAMPLE_FILE, '--accept', '8')).toMatchObject({ code: 0, err: '' });
    expect(sandbox.payouts()).toHaveLength(8);
  });
});

describe('the command line', () => {
  it('explains itself', async () => {
    const { code, out } = await desk.run('--help');
    expect(code).toBe(0);
    expect(out).toContain('Exit codes: 0 fine');
  });

  it.each([
    [[]],
    [['bill', 'salaries.csv']],
    [['pay']],
    [['pay', 'one.csv', 'two.csv']],
    [['pay', 'one.csv', '--accept', 'all']],
    [['check', 'one.csv', '--accept', '2']],
    [['check', 'one.csv', '--run', 'one.two']],
    [['settle', 'one.csv', 'S-1', 'done']],
    [['settle', 'one.csv', 'S-1']],
    [['check', 'one.csv', '--again', 'two']],
    [['check', '--what']],
  ])('answers %j with its usage and exit code 2', async (args) => {
    const { code, out, err } = await desk.run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: payroll');
  });

  it('says in one line which setting is wrong', async () => {
    process.env['PAYMENTS_BASE_URL'] = 'http://127.0.0.1:9';
    const { code, err } = await desk.run('check', file);
    process.env['PAYMENTS_BASE_URL'] = sandbox.baseUrl;
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('baseUrl') as unknown });
  });

  it('says in one line that the database is away, and repeats no password', async () => {
    const said: string[] = [];
    const screen = new Screen({ write: () => true }, { write: (text) => said.push(text) });
    const databaseUrl = 'postgres://payroll:hidden-word@127.0.0.1:1/payroll';
    const code = await runPayroll(['check', file], screen, () =>
      openJournal(new Settings({ ...process.env, DATABASE_URL: databaseUrl })),
    );
    expect({ code, said }).toEqual({
      code: 4,
      said: [expect.stringMatching(/^The program could not go on: .*ECONNREFUSED/)],
    });
    expect(said.join('')).not.toContain('hidden-word');
  });
});
