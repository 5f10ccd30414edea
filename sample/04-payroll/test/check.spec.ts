import { describe, expect, it } from 'vitest';
import { ASHA, desk, file, run, sandbox, STAFF, startMonths } from './payroll.months.js';

startMonths();

describe('payroll check', () => {
  it('shows both names of every line, the total and the wallet, and moves no money', async () => {
    const { code, out, err } = await desk.run('check', file);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        [
          '',
          '2',
          'S-1',
          'BSB ****801',
          expect.stringContaining('500,000'),
          'Asha Mushi',
          'ASHA MUSHI',
          'same',
        ],
        expect.arrayContaining(['Omari Bakari Juma', 'Omari B. Juma', 'similar']),
        expect.arrayContaining(['****603', 'Neema Temba', 'Temba, Neema', 'same']),
      ]),
    );
    expect(out).toMatch(/To pay: 3 lines, .*1,550,000\.50 .*In the wallet: .*5,000,000/);
    expect(sandbox.payouts()).toEqual([]);
  });

  it('shows first what somebody has to read: different names, then similar ones', async () => {
    sandbox.directory.register('255712345603', 'Halima Kessy');
    const { out } = await desk.run('check', file);
    const names = out
      .split('\n')
      .flatMap((line) => / (\d) .* (different|similar|same)$/.exec(` ${line}`)?.slice(1, 3).join(' ') ?? []);
    expect(names).toEqual(['4 different', '3 similar', '2 same']);
  });

  it('shows no whole account or phone number, and keeps none in its report', async () => {
    const { out } = await desk.run('check', file);
    const all = out + (await desk.read(`${run()}.check.json`));
    expect(all).not.toMatch(/0150234567801|0150234567802|712345603|712 345 603/);
  });

  it('lists everything that is wrong with the file at once, and asks the gateway nothing', async () => {
    const wrong = await desk.write(`${run()}.csv`, [
      ASHA,
      'S-1,Juma Ali,0,CCB,0150234567809,,',
      'S-4,,"1,000",CCB,1.50235E+12,,',
      'S-5,Grace Lyimo,1000,,,12345,',
      'S-6,Said Ngowi,1000,BSB,0150234567801,,',
      'S-7,Said Ngowi,1000,BSB,0150234567807,0712345607,',
    ]);
    const { code, err } = await desk.run('check', wrong);
    expect(code).toBe(1);
    expect(
      err
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 32)),
    ).toEqual([
      'The file cannot be paid:',
      'line 3: amount must be greater t',
      'line 4: name is empty',
      'line 4: amount must be greater t',
      'line 4: account_number must be 4',
      'line 5: phone is no Tanzanian nu',
      'line 6: goes to the account or p',
      'line 7: write either bank_code a',
    ]);
    expect(sandbox.requests()).toEqual([]);
  });

  it('names a bank that the gateway does not have, and an account that does not exist', async () => {
    const unknownBank = await desk.write(`${run()}.csv`, [ASHA.replace('BSB', 'XYZ')]);
    expect((await desk.run('check', unknownBank)).err).toContain('line 2: there is no bank XYZ');
    sandbox.directory.close('0150234567802');
    const gone = await desk.write(`${run()}.csv`, STAFF);
    const { code, err } = await desk.run('check', gone);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'Some recipients cannot be paid:\nline 3: the gateway does not know it (ACCOUNT_NOT_FOUND)\n',
    });
    expect((await desk.run('pay', gone)).err).toContain('was not checked');
  });

  it('waits when the gateway asks for fewer lookups', async () => {
    sandbox.next('POST /disbursements/name-lookup').status(429, { retryAfter: 1 });
    expect((await desk.run('check', file)).code).toBe(0);
  });

  it('says that the wallet holds too little', async () => {
    const rich = await desk.write(`${run()}.csv`, [ASHA.replace('500000', '6000000')]);
    expect((await desk.run('check', rich)).out).toContain('That is too little');
  });
});
