import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PayrollDesk, SAMPLE_FILE } from './payroll.desk.js';

const FIRST_BOOT_MS = 60_000;

const ASHA = 'S-1,Asha Mushi,500000,BSB,0150234567801,,';
const OMARI = 'S-2,Omari Bakari Juma,750000.50,CCB,0150234567802,,Overtime included';
const NEEMA = 'S-3,Neema Temba,300000,,,0712 345 603,';
const STAFF = [ASHA, OMARI, NEEMA];

let sandbox: PaymentsSandbox;
let desk: PayrollDesk;
let file: string;
let months = 0;

beforeAll(async () => {
  desk = await PayrollDesk.open();
  sandbox = await PaymentsSandbox.start({ clock: 'manual', startingBalance: '5000000' });
  Object.assign(process.env, desk.environment(sandbox));
}, FIRST_BOOT_MS);

beforeEach(async () => {
  months += 1;
  file = await desk.write(`month-${months}.csv`, STAFF);
  sandbox.directory.register('0150234567801', 'ASHA MUSHI');
  sandbox.directory.register('0150234567802', 'Omari B. Juma');
  sandbox.directory.register('255712345603', 'Temba, Neema');
});
afterEach(() => sandbox.reset());
afterAll(async () => {
  await sandbox.stop();
  await desk.close();
});

const run = (): string => `month-${months}`;

async function checked(): Promise<void> {
  expect(await desk.run('check', file)).toMatchObject({ code: 0, err: '' });
}

function references(): readonly string[] {
  return sandbox.payouts().map(({ reference }) => reference);
}

function everybody(): readonly string[] {
  return ['S-1', 'S-2', 'S-3'].map((reference) => `${run()}.${reference}`);
}

describe('payroll check', () => {
  it(
    'shows both names of every line, the total and the wallet, and moves no money',
    async () => {
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
    },
    FIRST_BOOT_MS,
  );

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
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/run payroll check (first|again)/) });
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

  it('sends nothing where the wallet holds too little for the whole run', async () => {
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

  it('stops where the gateway asks to wait for an hour', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 3600 });
    const { code, err } = await desk.run('pay', file);
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('too many requests') });
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

  it('asks again about a lost answer, and pays where the gateway never had it', async () => {
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
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('credentials') });
    expect(sandbox.payouts()).toEqual([]);
  });
});

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
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(says) });
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
    expect(await desk.run('settle', file, '2', 'paid')).toMatchObject({ code: 0, err: '' });
    const { code, out } = await desk.run('pay', file);
    expect(code).toBe(0);
    expect(out).toContain('3 lines: 1 paid, 2 accepted.');
  });

  it('lets a line be sent that never arrived, once its call cannot be running any more', async () => {
    await unknownLine();
    expect(await desk.run('settle', file, '2', 'failed')).toMatchObject({ code: 0 });
    await desk.pass();
    expect(await desk.run('pay', file)).toMatchObject({ code: 0 });
    expect([...references()].sort()).toEqual(everybody());
  });

  it('never sends a line again that the gateway had taken: what the bank returned needs another reference', async () => {
    await checked();
    await desk.run('pay', file);
    expect(await desk.run('settle', file, '2', 'failed')).toMatchObject({ code: 0 });
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

  it('refuses a line that was never sent, or that is none', async () => {
    expect((await desk.run('settle', file, '2', 'paid')).err).toContain(
      'Line 2: The journal holds no disbursement',
    );
    expect((await desk.run('settle', file, '9', 'paid')).err).toBe('The file has no line 9 with a salary.\n');
  });
});

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
