import { beforeEach, describe, expect, it } from 'vitest';
import {
  ASHA,
  checked,
  desk,
  everybody,
  file,
  NEEMA,
  OMARI,
  references,
  run,
  sandbox,
  STAFF,
  startMonths,
} from './payroll.months.js';

startMonths();

describe('a file that is edited after some of it was sent', () => {
  it.each([
    {
      what: 'another amount',
      rows: [ASHA.replace('500000', '500001'), OMARI, NEEMA],
      says: /line 2: .*amount 500000\.00/,
    },
    {
      what: 'another account',
      rows: [ASHA.replace('7801', '7899'), OMARI, NEEMA],
      says: /line 2: .*to another account/,
    },
    {
      what: 'another staff number',
      rows: [ASHA.replace('S-1', 'S-9'), OMARI, NEEMA],
      says: /S-1 .*has left the file/,
    },
    { what: 'a line less', rows: [OMARI, NEEMA], says: /S-1 .*has left the file/ },
  ])('is refused with $what', async ({ rows, says }) => {
    await checked();
    await desk.run('pay', file);
    await desk.write(`${run()}.csv`, rows);
    const { code, err } = await desk.run('check', file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(says) as unknown });
    expect((await desk.run('pay', file)).code).toBe(1);
    expect(sandbox.payouts()).toHaveLength(3);
  });

  it('may have its lines in another order', async () => {
    await checked();
    await desk.run('pay', file);
    await desk.write(`${run()}.csv`, [NEEMA, ASHA, OMARI]);
    const { code, out } = await desk.run('check', file);
    expect(code).toBe(0);
    expect(out).toContain('3 of 3 lines are out');
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect(sandbox.payouts()).toHaveLength(3);
  });
});

describe('an unknown line', () => {
  beforeEach(async () => {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).dropBefore();
    expect((await desk.run('pay', file)).code).toBe(3);
    await desk.pass();
  });

  it('is asked about by its own run only: nobody pays last month by paying this one', async () => {
    const other = await desk.write('other.csv', [OMARI.replace('7802', '7803')]);
    await desk.run('check', other);
    const before = references().length;
    await desk.run('pay', other, '--accept', '2');
    expect(references().slice(before)).toEqual(['other.S-2']);
  });

  it('is asked about with the same words after another check, whatever the holder is called by then', async () => {
    sandbox.directory.register('0150234567801', 'Asha Mushi Temba');
    await desk.write(`${run()}.csv`, [...STAFF, 'S-4,Zawadi Said,1000,,,0712345604,']);
    sandbox.directory.register('255712345604', 'Zawadi Said');
    await checked();
    sandbox.directory.register('0150234567801', 'ASHA MUSHI');
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect(sandbox.payouts()).toContainEqual(
      expect.objectContaining({ reference: `${run()}.S-1`, account_name: 'ASHA MUSHI' }),
    );
  });

  it('stays unknown when the gateway cannot be asked again', async () => {
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).status(401);
    const { code, out } = await desk.run('pay', file);
    expect(code).toBe(3);
    expect(out).toContain('3 lines: 1 unknown, 2 accepted.');
  });
});

describe('payroll settle', () => {
  async function unknownLine(): Promise<void> {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).html(502);
    expect((await desk.run('pay', file)).code).toBe(3);
  }

  it('writes down that an unknown line was paid', async () => {
    await unknownLine();
    expect(await desk.run('settle', file, 'S-1', 'paid')).toMatchObject({ code: 0, err: '' });
    const { code, out } = await desk.run('pay', file);
    expect(code).toBe(0);
    expect(out).toContain('3 lines: 1 paid, 2 accepted.');
  });

  it('lets a line be sent that never arrived, once its call cannot be running any more', async () => {
    await unknownLine();
    expect(await desk.run('settle', file, 'S-1', 'failed')).toMatchObject({ code: 0 });
    await desk.pass();
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect([...references()].sort()).toEqual(everybody());
  });

  it('never sends a line again that the gateway had taken: what the bank returned needs another reference', async () => {
    await checked();
    await desk.run('pay', file);
    expect(await desk.run('settle', file, 'S-1', 'failed')).toMatchObject({ code: 0 });
    await desk.pass();
    const { code, out } = await desk.run('pay', file);
    expect(code).toBe(5);
    expect(out).toMatch(/line 2 S-1 .* failed: .*another reference/);
    expect([...references()].sort()).toEqual(everybody());
    await desk.write(`${run()}.csv`, [ASHA.replace('S-1', 'S-1b'), OMARI, NEEMA]);
    await checked();
    expect((await desk.run('pay', file)).code).toBe(0);
    expect(references()).toContain(`${run()}.S-1b`);
  });

  it('refuses a row that was never sent, or that is none: a line that moves when the file is edited names nobody', async () => {
    expect((await desk.run('settle', file, 'S-1', 'paid')).err).toContain(
      'S-1: The journal holds no disbursement',
    );
    expect((await desk.run('settle', file, '2', 'paid')).err).toContain('has no row with the reference 2');
  });
});
