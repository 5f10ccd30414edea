import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  NameLookupService,
  PaymentsModule,
  WalletService,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { GatewayReplay, type RecordedExchange } from 'nestjs-payments/testing';
import { bundleCli, environmentOf, runCommand } from '../../support/cli-process.js';
import { profileWith } from '../../support/gateway-profiles.js';
import { scriptOutput } from '../../support/script-output.js';

const PHONE = '255712345678';
const ACCOUNT = '0150000000999';
const COMMAND = [
  'conformance',
  ...['--phone', PHONE, '--recipient-phone', PHONE, '--network', 'NET_ONE'],
  ...['--bank-code', 'BSB', '--bank-account', ACCOUNT, '--account-name', 'Asha Mushi'],
  ...['--max-amount', '5000', '--record', 'exchanges.json'],
];

let folder: string;
let text: string;
let replay: GatewayReplay;
let module: TestingModule;

beforeAll(async () => {
  await bundleCli();
  folder = mkdtempSync(join(tmpdir(), 'payments-replay-'));
  // This gateway does not answer as the emulator does by default.
  const profile = profileWith({ 'status of INVALID_BANK': 400, 'shape of INVALID_BANK': 'A' });
  const sandbox = await PaymentsSandbox.start({ profile, fees: { collectionPercent: 3 } });
  const { code } = await runCommand(COMMAND, { folder, environment: environmentOf(sandbox) });
  await sandbox.stop();
  expect(code).toBe(0);
  text = readFileSync(join(folder, 'exchanges.json'), 'utf8');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  await module.close();
  await replay.stop();
});

async function start(recording: unknown = JSON.parse(text)): Promise<TestingModule> {
  replay = await GatewayReplay.start(recording);
  module = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot({ ...replay.moduleOptions(), probe: false, retry: { maxAttempts: 1 } })],
  }).compile();
  return module.init();
}

/** Starts the replay of these exchanges alone. */
async function startWith(...exchanges: readonly RecordedExchange[]): Promise<void> {
  await start({ version: 1, recordedAt: '2026-11-26T10:00:00.000Z', exchanges });
}

const post = (path: string, body: object) =>
  fetch(`${replay.moduleOptions().baseUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });

const payout = { reference: 'salary-7', amount: '250000', bank_code: 'BSB', remarks: 'Salary' };
const recipient = { account_number: ACCOUNT, account_name: 'Neema Kessy' };

describe('the replay of a recorded gateway', () => {
  it('gives the recorded success, with what the request says', async () => {
    const app = await start();
    const payment = await app.get(CollectionsService).mobileMoney({
      reference: 'order-7',
      amount: '15000',
      phone: '255713000111',
      customer_name: 'Neema Kessy',
      customer_email: 'neema@example.com',
    });
    expect(payment).toMatchObject({
      reference: 'order-7',
      amount: '15000.00',
      // The fee is the recorded one: 3 % of the amount of 1.00.
      fee: '0.03',
      net_amount: '14999.97',
      status: 'pending',
      customer_name: 'Neema Kessy',
      customer_phone: '255713000111',
    });
    const paid = await app.get(DisbursementsService).bank({ ...payout, ...recipient });
    expect(paid).toMatchObject({ reference: 'salary-7', amount: '250000.00', total_amount: '250500.00' });
  });

  it('answers what only reads', async () => {
    const app = await start();
    expect(await app.get(WalletService).balance()).toMatchObject({ currency: 'TZS' });
    expect((await app.get(BanksService).list()).length).toBeGreaterThan(0);
    const found = await app
      .get(NameLookupService)
      .lookup({ channel: 'BANK', bank_code: 'BSB', account_number: ACCOUNT });
    expect(found).toMatchObject({ account_number: ACCOUNT, account_name: 'recorded account_name' });
  });

  it('gives the recorded refusal to the next call, and a success to the one after', async () => {
    const app = await start();
    const disbursements = app.get(DisbursementsService);
    replay.next('POST /disbursements/bank', 'INVALID_BANK');
    await expect(disbursements.bank({ ...payout, ...recipient })).rejects.toMatchObject({
      code: 'INVALID_BANK',
      httpStatus: 400,
    });
    const again = await disbursements.bank({ ...payout, ...recipient, reference: 'salary-8' });
    expect(again.reference).toBe('salary-8');
  });

  it.each([
    { status: 'error', code: 'INVALID_REQUEST', data: null },
    { success: false, code: 'INVALID_REQUEST', data: [] },
    { status: '…', code: 'INVALID_REQUEST', data: null },
  ])('takes no refusal for a success that has data: %j', async (body) => {
    await startWith({ operation: 'POST /payments/mobile-money', status: 422, body });
    expect((await post('/payments/mobile-money', {})).status).toBe(501);
  });

  it('says what was recorded if it cannot answer so', async () => {
    await start();
    expect(() => {
      replay.next('POST /disbursements/bank', 'PROVIDER_ERROR');
    }).toThrow(
      /The recording has no 'PROVIDER_ERROR' of POST \/disbursements\/bank: it has .*'INVALID_BANK'/,
    );
  });

  it('gives each recorded refusal that has messages by field and no code', async () => {
    const operation = 'POST /payments/mobile-money';
    const refused = (...fields: readonly string[]) => {
      const errors = Object.fromEntries(fields.map((field) => [field, ['…']]));
      return { operation, status: 422, body: { success: false, message: '…', errors } };
    };
    const accepted = { operation, status: 200, body: { data: { amount: '1.00' } } };
    await startWith(accepted, refused('phone'), refused('amount'), refused('phone', 'amount'));
    for (const [name, fields] of [
      ['messages by field', ['phone']],
      ['messages by field: phone', ['phone']],
      ['messages by field: amount', ['amount']],
      ['messages by field: amount, phone', ['phone', 'amount']],
    ] as const) {
      replay.next(operation, name);
      const answer = await post('/payments/mobile-money', { amount: 15_000 });
      expect(answer.status).toBe(422);
      const { errors } = (await answer.json()) as { errors: Readonly<Record<string, unknown>> };
      expect(Object.keys(errors)).toEqual(fields);
    }
    expect(() => {
      replay.next(operation, 'messages by field: currency');
    }).toThrow(
      "The recording has no 'messages by field: currency' of POST /payments/mobile-money: it has 'no code', " +
        "'messages by field: phone', 'messages by field: amount', 'messages by field: amount, phone'.",
    );
  });

  it('gives the recorded messages by field through the client', async () => {
    const app = await start();
    replay.next('POST /payments/partnerpesa', 'messages by field: phone');
    const refused = app.get(CollectionsService).partnerWallet({
      reference: 'order-8',
      amount: '15000',
      phone: PHONE,
      customer_name: 'Neema Kessy',
      customer_email: 'neema@example.com',
    });
    await expect(refused).rejects.toMatchObject({ httpStatus: 422, errors: { phone: [expect.any(String)] } });
  });

  it('answers a lookup with the recorded one of its channel', async () => {
    const app = await start();
    const lookups = app.get(NameLookupService);
    const mobile = await lookups.lookup({ channel: 'MOBILE_MONEY', account_number: PHONE });
    expect(mobile).toEqual({
      channel: 'MOBILE_MONEY',
      account_number: PHONE,
      account_name: 'recorded account_name',
      network: 'recorded network',
    });
    const bank = await lookups.lookup({ channel: 'BANK', bank_code: 'BSB', account_number: ACCOUNT });
    expect(bank).toEqual({
      channel: 'BANK',
      account_number: ACCOUNT,
      account_name: 'recorded account_name',
      bank_code: 'BSB',
      bank_name: 'recorded bank_name',
    });
    // The command got no number of the partner wallet.
    const answer = await post('/disbursements/name-lookup', { channel: 'PARTNERPESA' });
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({
      code: 'NOT_RECORDED',
      message: expect.stringContaining('name-lookup in the channel "PARTNERPESA"') as string,
    });
  });

  it('answers a payout to a phone with the recorded channel', async () => {
    const app = await start();
    const paid = await app.get(DisbursementsService).mobileMoney({
      reference: 'salary-9',
      amount: '250000',
      recipient_phone: PHONE,
      recipient_name: 'Neema Kessy',
      network: 'NET_ONE',
      remarks: 'Salary',
    });
    expect(paid).toMatchObject({ reference: 'salary-9', channel: 'MOBILE_MONEY', network: 'NET_ONE' });
  });

  it('answers a lookup with the first one of a recording that names no channels', async () => {
    const body = { data: { channel: '…', account_name: '…' } };
    await startWith({ operation: 'POST /disbursements/name-lookup', status: 200, body });
    const answer = await post('/disbursements/name-lookup', { channel: 'BANK' });
    expect(await answer.json()).toMatchObject({
      data: { channel: 'BANK', account_name: 'recorded account_name' },
    });
  });

  it('lets the process of a test end that never stops it', async () => {
    const recording = { version: 1, recordedAt: '2026-11-26T10:00:00.000Z', exchanges: [] };
    const started = await scriptOutput(`
      import { GatewayReplay } from './lib/testing/gateway-replay.js';
      const replay = await GatewayReplay.start(${JSON.stringify(recording)});
      process.stdout.write(replay.moduleOptions().baseUrl);
    `);
    expect(started).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  });

  it('takes no other file', async () => {
    await start();
    for (const wrong of [undefined, [], {}, { version: 2, exchanges: [] }, { version: 1, exchanges: {} }])
      await expect(GatewayReplay.start(wrong)).rejects.toThrow(/no recording of a gateway/);
    const broken = { version: 1, exchanges: [{ operation: 'GET /merchant-balance', status: 200 }] };
    await expect(GatewayReplay.start(broken)).rejects.toThrow("The recording's exchange 1 has no operation");
  });

  it.each(['0', 0, '0.00', '500.0000'])('answers if the recorded fee is %j', async (fee) => {
    const body = { data: { amount: '1.00', fee, net_amount: '1.00' } };
    await startWith({ operation: 'POST /payments/mobile-money', status: 200, body });
    const answer = await post('/payments/mobile-money', { amount: 15_000 });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { amount: '15000.00', fee } });
  });

  it('answers 500 with the reason if the recording holds what no answer can, and continues', async () => {
    await startWith({ operation: 'POST /payments/mobile-money', status: 99, body: { data: {} } });
    const failed = await post('/payments/mobile-money', { amount: 15_000 });
    expect(failed.status).toBe(500);
    expect(await failed.json()).toMatchObject({
      code: 'REPLAY_FAILED',
      message: expect.stringContaining('99') as string,
    });
    expect((await post('/payments/partnerpesa', {})).status).toBe(501);
  });

  it('answers 501 if nothing was recorded for an operation', async () => {
    await start();
    const { baseUrl } = replay.moduleOptions();
    const answer = await fetch(`${baseUrl}/payments/partnerpesa`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({ code: 'NOT_RECORDED' });
  });
});

describe('a recording', () => {
  it('has one answer of each kind, and nothing personal or secret', async () => {
    await start();
    const { exchanges } = JSON.parse(text) as {
      exchanges: { operation: string; body: { code?: string; data?: { channel?: string } } }[];
    };
    const codes = exchanges.filter(({ body }) => body.code !== undefined);
    const kinds = codes.map(({ operation, body }) => [operation, body.code, body.data?.channel].join(' '));
    expect(kinds.length).toBeGreaterThan(8);
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(text).not.toMatch(new RegExp(`${PHONE}|${ACCOUNT}|Asha|Mushi|_test_`));
  });
});
