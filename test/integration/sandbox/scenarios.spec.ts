import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { COLLECTION } from '../../support/gateway-caller.js';
import { type WebhookReceiver } from '../../support/webhook-receiver.js';
import { type SandboxStage, setSandboxStage } from '../../support/sandbox-stage.js';

const phone = (ending: string): string => `25571234${ending}`;
const account = (ending: string): string => `0150${ending}`;

describe("the emulator's magic numbers", () => {
  let stage: SandboxStage;
  let sandbox: PaymentsSandbox;
  let gateway: SandboxStage['gateway'];
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    stage = await setSandboxStage();
    ({ sandbox, gateway, receiver } = stage);
  });

  afterEach(() => stage.close());

  const received = (): unknown[] =>
    receiver.received.map(({ body }) => (JSON.parse(body.toString()) as { event: string }).event);
  const collect = (ending: string) => gateway.collect({ phone: phone(ending) });
  const statusAfter = async (time: number): Promise<string | undefined> => {
    await sandbox.clock.advance(time);
    return sandbox.payments()[0]?.status;
  };

  it.each([
    ['0001', 2_000, 'success'],
    ['0003', 2_000, 'cancelled'],
    ['0004', 2_000, 'failed'],
    ['0005', 900_000, 'expired'],
  ])('%s ends a collection after %d ms as %s, with one webhook', async (ending, time, status) => {
    const answer = await collect(ending);
    expect(answer.headers.get('x-sandbox-rule')).toBe(`ending ${ending}`);
    expect(await statusAfter(time - 1)).toBe('pending');
    expect(await statusAfter(1)).toBe(status);
    await sandbox.clock.advance('1h');
    expect(received()).toEqual([`payment.${status}`]);
  });

  it('0002 is processing in between', async () => {
    await collect('0002');
    expect(await statusAfter(2_000)).toBe('processing');
    expect(sandbox.payments()[0]?.processing_at).toBe('2026-01-01T09:00:02.000Z');
    expect(await statusAfter(27_999)).toBe('processing');
    expect(await statusAfter(1)).toBe('success');
  });

  it('0006 is stuck forever without a webhook, until somebody decides', async () => {
    await collect('0006');
    expect(await statusAfter(86_400_000)).toBe('pending');
    expect(received()).toEqual([]);
    await sandbox.customer(phone('0006')).approve('order-1');
    expect(received()).toEqual(['payment.success']);
  });

  it('0007 is delivered twice with the same body', async () => {
    await collect('0007');
    await sandbox.clock.advance('2s');
    expect(received()).toEqual(['payment.success', 'payment.success']);
    const [first, second] = receiver.received;
    expect(second?.body.equals(first!.body)).toBe(true);
    expect(sandbox.deliveries()).toMatchObject([
      { state: 'delivered', attempts: [{ status: 200 }, { status: 200 }] },
    ]);
  });

  it('0007 comes no third time if one of the two was answered 200', async () => {
    receiver.answerWith(503, 200);
    await collect('0007');
    await sandbox.clock.advance('1d');
    expect(received()).toEqual(['payment.success', 'payment.success']);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered', next_attempt_at: null }]);
  });

  it('0008 is delivered before the HTTP answer, which still says pending', async () => {
    let answered = false;
    const heardBefore: boolean[] = [];
    sandbox.on('delivery', () => heardBefore.push(!answered));
    const { body } = await collect('0008');
    answered = true;

    expect(heardBefore).toEqual([true]);
    expect(received()).toEqual(['payment.success']);
    expect(body).toMatchObject({ data: { status: 'pending' } });
  });

  it('0009 loses three deliveries and arrives by the schedule', async () => {
    await collect('0009');
    await sandbox.clock.advance('2s');
    await sandbox.clock.advance('5m');
    expect(received()).toEqual([]);
    await sandbox.clock.advance('1h');
    expect(received()).toEqual(['payment.success']);
    expect(sandbox.deliveries()[0]?.attempts.map(({ status, problem }) => [status, problem])).toEqual([
      [null, expect.stringContaining('lost')],
      [null, expect.stringContaining('lost')],
      [null, expect.stringContaining('lost')],
      [200, null],
    ]);
  });

  it('0010 brings a forged signature first, and tells of an application that takes it', async () => {
    receiver.answerWith(401, 200);
    await collect('0010');
    await sandbox.clock.advance('2s');

    const [forged, right] = receiver.received;
    expect(forged?.body.equals(right!.body)).toBe(true);
    expect(forged?.headers['x-webhook-signature']).not.toBe(right?.headers['x-webhook-signature']);
    expect(sandbox.deliveries()[0]).toMatchObject({
      state: 'delivered',
      attempts: [
        { status: 401, forged: true, problem: 'answered 401: its signature was forged on purpose' },
        { status: 200, forged: false, problem: null },
      ],
    });

    receiver.answerWith(200);
    await gateway.collect({ reference: 'order-2', phone: phone('0010') });
    await sandbox.clock.advance('2s');
    expect(sandbox.deliveries()[1]?.attempts[0]?.problem).toContain('does not verify');
  });

  it.each([
    ['0001', '2s', 'paid', 979_500],
    ['0002', '10m', 'paid', 979_500],
    ['0003', '2s', 'failed', 1_000_000],
    ['0004', '2s', 'cancelled', 1_000_000],
  ] as const)('%s ends a payout after %s as %s', async (ending, time, status, balance) => {
    await gateway.payToBank({ account_number: account(ending) });
    expect(sandbox.balance()).toMatchObject({ locked_balance: 20_500 });
    await sandbox.clock.advance(time);
    expect(sandbox.payouts()).toMatchObject([{ status }]);
    expect(sandbox.balance()).toMatchObject({ balance, available_balance: balance, locked_balance: 0 });
  });

  it('0005 leaves a payout in processing with its money locked', async () => {
    await gateway.payToPhone({ recipient_phone: phone('0005') });
    await sandbox.clock.advance('7d');
    expect(sandbox.payouts()).toMatchObject([{ status: 'processing' }]);
    expect(sandbox.balance()).toMatchObject({ locked_balance: 5_500 });
  });

  it.each([
    ['0404', 'INVALID_ACCOUNT'],
    ['0406', 'ACCOUNT_NAME_MISMATCH'],
    ['0410', 'INVALID_BANK'],
    ['0502', 'PROVIDER_ERROR'],
  ])('%s refuses a bank payout with %s, and moves no money', async (ending, code) => {
    expect(await gateway.payToBank({ account_number: account(ending) })).toMatchObject({ body: { code } });
    expect(sandbox.payouts()).toEqual([]);
    expect(sandbox.balance()).toMatchObject({ available_balance: 1_000_000 });
  });

  it('0422 and 0502 refuse a mobile money payout', async () => {
    const codes = await Promise.all(
      ['0422', '0502'].map(
        async (ending) => (await gateway.payToPhone({ recipient_phone: phone(ending) })).body,
      ),
    );
    expect(codes).toMatchObject([{ code: 'INVALID_PHONE' }, { code: 'PROVIDER_ERROR' }]);
  });

  it.each([
    ['0404', 'ACCOUNT_NOT_FOUND'],
    ['0410', 'INVALID_BANK_CODE'],
  ])('%s refuses a lookup with %s', async (ending, code) => {
    const lookup = { channel: 'BANK', bank_code: 'BSB', account_number: account(ending) };
    expect(await gateway.lookUp(lookup)).toMatchObject({ body: { code } });
  });

  it('0429, 0500 and 0504 strike at the connection', async () => {
    const limited = await collect('0429');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
    const page = await fetch(`${sandbox.baseUrl}/payments/mobile-money`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'pk_test_demo',
        'x-api-secret': 'sk_test_demo',
      },
      body: JSON.stringify({ ...COLLECTION, phone: phone('0500') }),
    });
    expect([page.status, page.headers.get('content-type')]).toEqual([500, expect.stringContaining('html')]);
    expect(sandbox.payments()).toEqual([]);

    await expect(collect('0504')).rejects.toThrow();
    expect(await statusAfter(2_000)).toBe('success');
    await expect(gateway.payToBank({ account_number: account('0504') })).rejects.toThrow();
    await sandbox.clock.advance('2s');
    expect(sandbox.payouts()).toMatchObject([{ status: 'paid' }]);
  });

  it('give way to the header, and the header to a planned fault', async () => {
    const header = { headers: { 'x-sandbox-scenario': '0004' } };
    const byHeader = await gateway.collect({ phone: phone('0003') }, header);
    expect(byHeader.headers.get('x-sandbox-rule')).toBe('header 0004');
    expect(await statusAfter(2_000)).toBe('failed');

    sandbox.next('POST /payments/mobile-money').status(503);
    const byFault = await gateway.collect({ reference: 'order-2' }, header);
    expect([byFault.status, byFault.headers.get('x-sandbox-rule')]).toEqual([503, 'fault status']);
    expect(sandbox.requests().map(({ rule }) => rule)).toEqual(['header 0004', 'fault status']);
  });

  it('answer a header that names no scenario with those that there are', async () => {
    const answer = await gateway.get('/merchant-balance', { headers: { 'x-sandbox-scenario': '0001' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('0429, 0500, 0504') as unknown },
    });
  });

  it('are read from the field of the operation, and not from that of another one', async () => {
    expect(await gateway.payToBank({ phone: phone('0429') })).toMatchObject({ status: 200 });
    expect(await gateway.payToPhone({ account_number: '0500' })).toMatchObject({ status: 200 });
  });

  it('mean nothing in a call with wrong keys', async () => {
    const wrong = { headers: { 'x-api-secret': 'wrong' } };
    expect(await gateway.collect({ phone: phone('0429') }, wrong)).toMatchObject({ status: 401 });
    expect(await gateway.payToBank({ account_number: account('0429') }, wrong)).toMatchObject({
      status: 401,
    });
  });

  it('change nothing for other numbers: they wait for the phone', async () => {
    const answer = await gateway.collect();
    expect(answer.headers.get('x-sandbox-rule')).toBe('default manual');
    expect(await statusAfter(899_999)).toBe('pending');
  });
});
