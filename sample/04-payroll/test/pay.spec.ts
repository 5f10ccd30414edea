import { describe, expect, it } from 'vitest';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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

describe('payroll pay', () => {
  it('pays banks and phones once each, to the name that the gateway has, however often it runs', async () => {
    await checked();
    const first = await desk.run('pay', file);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
    expect(first.out).toContain('3 lines: 3 accepted.');
    expect(first.out).toMatch(/^\d\/3 line 3 S-2 Omari Bakari Juma .*750,000\.50 accepted$/m);
    const again = await desk.run('pay', file);
    expect(again.code).toBe(0);
    expect(again.out).toContain('3 of 3 lines are out, or may be: nothing is sent a second time.');
    expect([...sandbox.payouts()].sort((a, b) => (a.reference < b.reference ? -1 : 1))).toEqual([
      expect.objectContaining({
        reference: `${run()}.S-1`,
        amount: '500000.00',
        account_name: 'ASHA MUSHI',
        bank_code: 'BSB',
        remarks: `Salary ${run()}`,
      }),
      expect.objectContaining({ amount: '750000.50', remarks: 'Overtime included' }),
      expect.objectContaining({
        recipient_phone: '255712345603',
        recipient_name: 'Temba, Neema',
        network: 'NET_SIX',
      }),
    ]);
    const sent = sandbox.requests().filter(({ path }) => /disbursements\/(bank|mobile-money)$/.test(path));
    expect(sent).toHaveLength(3);
  });

  it('writes what became of every line', async () => {
    await checked();
    await desk.run('pay', file);
    const result = await desk.read(`${run()}.result.csv`);
    expect(result.split('\n').slice(0, 2)).toEqual([
      'line,reference,name,to,amount,state,detail,payment_reference',
      `2,S-1,Asha Mushi,BSB ****801,500000.00,accepted,,${run()}.S-1`,
    ]);
  });

  it('sums the run up by state and bank, without names, accounts and phones, to be forwarded', async () => {
    await checked();
    sandbox
      .next('POST /disbursements/bank', { reference: `${run()}.S-1` })
      .status(422, { code: 'INVALID_ACCOUNT' });
    const { out } = await desk.run('pay', file);
    const summary = await desk.read(`${run()}.summary.csv`);
    expect(summary.trimEnd().split('\n')).toEqual([
      'run,state,bank,lines,amount',
      `${run()},refused,BSB,1,500000.00`,
      `${run()},accepted,CCB,1,750000.50`,
      `${run()},accepted,mobile money,1,300000.00`,
      `${run()},all,total,3,1550000.50`,
    ]);
    expect(summary).not.toMatch(/Asha|Omari|Neema|S-\d|\d{3}801|712/);
    expect(out).toMatch(/^refused +BSB +1 +\S+\s500,000$/m);
    expect(out).toMatch(/^all +total +3 +\S+\s1,550,000\.50$/m);
  });

  it('says the same total before and after a resume, and counts on where it was', async () => {
    const total = /^The run month-\d+: 3 lines, \S+\s1,550,000\.50 in all\.$/m;
    expect((await desk.run('check', file)).out).toMatch(total);
    process.env['PAYROLL_AT_ONCE'] = '1';
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-2` }).status(429, { retryAfter: 3600 });
    const first = await desk.run('pay', file);
    const again = await desk.run('pay', file);
    delete process.env['PAYROLL_AT_ONCE'];
    expect([first.code, again.code]).toEqual([4, 0]);
    for (const { out } of [first, again]) expect(out).toMatch(total);
    expect(first.out).toMatch(/^1\/3 line 2 S-1 /m);
    expect(again.out.match(/^\d\/3 line \d/gm)).toEqual(['2/3 line 3', '3/3 line 4']);
    expect(again.out).toContain('3 lines: 3 accepted.');
  });

  it('keeps names from becoming formulas in the spreadsheet that opens the result', async () => {
    await desk.write(`${run()}.csv`, ["S-1,=cmd|' /C calc'!A0,1000,BSB,0150234567801,,"]);
    await checked();
    await desk.run('pay', file, '--accept', '2');
    expect(await desk.read(`${run()}.result.csv`)).toContain("2,S-1,'=cmd|' /C calc'!A0,");
  });

  it('says what was paid, and is not fine, if the result cannot be written', async () => {
    await checked();
    await mkdir(join(desk.folder, 'data', `${run()}.result.csv`));
    const { code, out, err } = await desk.run('pay', file);
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringMatching(/result\.csv cannot be written \(/) as unknown,
    });
    expect(out).toContain('3 lines: 3 accepted.');
  });

  it.each([
    { what: 'was never checked', prepare: () => Promise.resolve() },
    {
      what: 'was edited since its check',
      prepare: async () => {
        await checked();
        await desk.write(`${run()}.csv`, [ASHA.replace('500000', '500001'), OMARI, NEEMA]);
      },
    },
    {
      what: 'was checked the day before yesterday',
      prepare: async () => {
        await checked();
        await desk.change(`${run()}.check.json`, (text) =>
          text.replace(/"checkedAt": "\d{4}/, '"checkedAt": "2020'),
        );
      },
    },
    {
      what: 'was checked at another gateway',
      prepare: async () => {
        await checked();
        await desk.change(`${run()}.check.json`, (text) =>
          text.replace(sandbox.baseUrl, 'https://pay.example/api/v1'),
        );
      },
    },
  ])('pays nothing of a file that $what', async ({ prepare }) => {
    await prepare();
    const { code, err } = await desk.run('pay', file);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/run payroll check (first|again)/) as unknown,
    });
    expect(sandbox.payouts()).toEqual([]);
  });

  it('pays nobody until each different name is accepted by its line', async () => {
    sandbox.directory.register('0150234567802', 'Halima Kessy');
    const { out } = await desk.run('check', file);
    expect(out).toContain(`--accept 3`);
    const refused = await desk.run('pay', file);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('line 3: Omari Bakari Juma in the file, Halima Kessy holds the account');
    expect((await desk.run('pay', file, '--accept', '3', '--accept', '2')).err).toContain(
      'no names differ in line 2',
    );
    expect(sandbox.payouts()).toEqual([]);
    expect(await desk.run('pay', file, '--accept', '3')).toMatchObject({ code: 0, err: '' });
    expect([...references()].sort()).toEqual(everybody());
  });

  it('sends nothing if the wallet holds too little for the whole run', async () => {
    const rich = await desk.write(`${run()}.csv`, [ASHA, OMARI.replace('750000.50', '4800000')]);
    await checked();
    const { code, err } = await desk.run('pay', rich);
    expect({ code, err }).toEqual({
      code: 4,
      err: 'The wallet holds too little: top it up. Nothing was sent.\n',
    });
    expect(sandbox.payouts()).toEqual([]);
  });

  it('stops when fees empty the wallet, and sends the rest after it was topped up', async () => {
    process.env['PAYROLL_AT_ONCE'] = '1';
    await desk.write(`${run()}.csv`, [ASHA, OMARI.replace('750000.50', '4200000'), NEEMA]);
    await checked();
    const first = await desk.run('pay', file);
    delete process.env['PAYROLL_AT_ONCE'];
    expect(first).toMatchObject({ code: 4, err: 'The wallet holds too little: top it up.\n' });
    expect(first.out).toContain('3 lines: 2 accepted, 1 not-sent.');
    expect(references()).toEqual(everybody().slice(0, 2));
    await sandbox.payout(`${run()}.S-1`).fail();
    expect(await desk.run('pay', file)).toMatchObject({ code: 0, err: '' });
    expect(references()).toEqual(everybody());
  });

  it('goes on after a refused line, says why, and pays it once it is corrected', async () => {
    await checked();
    sandbox
      .next('POST /disbursements/bank', { reference: `${run()}.S-1` })
      .status(422, { code: 'INVALID_ACCOUNT' });
    const first = await desk.run('pay', file);
    expect(first.code).toBe(5);
    expect(first.out).toMatch(/line 2 S-1 .* refused: The gateway refused/);
    await desk.write(`${run()}.csv`, ['S-0,Zawadi Said,1000,BSB,0150234567800,,', ...STAFF]);
    sandbox.directory.register('0150234567800', 'Zawadi Said');
    await checked();
    expect((await desk.run('pay', file)).code).toBe(0);
    expect([...references()].sort()).toEqual([`${run()}.S-0`, ...everybody()]);
  });

  it('waits when the gateway asks for fewer payments', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 1 });
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect([...references()].sort()).toEqual(everybody());
  });

  it('stops if the gateway asks to wait for an hour', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 3600 });
    const { code, err } = await desk.run('pay', file);
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('too many requests') as unknown });
  });

  it('calls a line with a lost answer unknown, never failed, and does not send it again by itself', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).dropAfterProcessing();
    const first = await desk.run('pay', file);
    expect(first.code).toBe(3);
    expect(first.out).toMatch(/line 2 S-1 .* unknown: no certain answer came \(no-answer\)/);
    expect(first.out).toContain('3 lines: 1 unknown, 2 accepted.');
    expect((await desk.run('pay', file)).code).toBe(3);
    expect([...references()].sort()).toEqual(everybody());
    expect(await desk.read(`${run()}.result.csv`)).toContain('500000.00,unknown,');
  });

  it('asks again about a lost answer, and pays if the gateway never had it', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).dropBefore();
    expect((await desk.run('pay', file)).code).toBe(3);
    expect(references()).not.toContain(`${run()}.S-1`);
    await desk.pass();
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect([...references()].sort()).toEqual(everybody());
  });

  it('asks again about a lost answer, and leaves unknown what the gateway has already', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).dropAfterProcessing();
    expect((await desk.run('pay', file)).code).toBe(3);
    await desk.pass();
    const { code, out } = await desk.run('pay', file);
    expect(code).toBe(3);
    expect(out).toContain('3 lines: 1 unknown, 2 accepted.');
    expect(await desk.read(`${run()}.result.csv`)).toContain('unknown,the gateway has it already');
    expect([...references()].sort()).toEqual(everybody());
  });

  it('stops after three unknown outcomes', async () => {
    process.env['PAYROLL_AT_ONCE'] = '1';
    await desk.write(`${run()}.csv`, [
      ...[1, 2, 3, 4].map((n) => `S-${n},Asha Mushi,1000,BSB,015023456790${n},,`),
    ]);
    for (const n of [1, 2, 3, 4]) sandbox.directory.register(`015023456790${n}`, 'Asha Mushi');
    await checked();
    sandbox.next('POST /disbursements/bank').html(502).times(4);
    const { code, err, out } = await desk.run('pay', file);
    delete process.env['PAYROLL_AT_ONCE'];
    expect(code).toBe(3);
    expect(err).toContain('3 outcomes are unknown: something is wrong at the gateway.\n');
    expect(out).toContain('4 lines: 3 unknown, 1 not-sent.');
  });

  it('stops at the first line when the keys are wrong', async () => {
    await checked();
    process.env['PAYMENTS_API_SECRET'] = 'sk_test_other';
    const { code, err } = await desk.run('pay', file);
    process.env['PAYMENTS_API_SECRET'] = 'sk_test_demo';
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('credentials') as unknown });
    expect(sandbox.payouts()).toEqual([]);
  });
});
