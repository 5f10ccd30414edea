import { describe, expect, it } from '@jest/globals';
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
    [['settle', 'one.csv', '2', 'done']],
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
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('baseUrl') });
  });
});
