import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const { phone } = COLLECTION;

describe('the handle of the emulator', () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    gateway = callerOf(sandbox);
  });

  it('books what a payment brings, less its fee', async () => {
    await gateway.collect();
    await sandbox.customer(phone).approve('order-1');

    expect(sandbox.payments()).toMatchObject([{ status: 'success', fee: 300, net_amount: 14_700 }]);
    expect(sandbox.balance()).toMatchObject({
      balance: 1_014_700,
      available_balance: 1_014_700,
      locked_balance: 0,
    });
  });

  it.each([
    ['pay', 'paid', 979_500],
    ['fail', 'failed', 1_000_000],
    ['cancel', 'cancelled', 1_000_000],
  ] as const)('%s makes a payout %s and unlocks its money', async (action, status, balance) => {
    await gateway.payToBank();
    expect(await sandbox.payout('salary-1')[action]()).toMatchObject({ status, kind: 'bank' });
    expect(sandbox.balance()).toMatchObject({ balance, available_balance: balance, locked_balance: 0 });
  });

  it('lets a payment expire after its time, not before', async () => {
    await gateway.collect();
    await sandbox.clock.advance('899s');
    expect(sandbox.payments()).toMatchObject([{ status: 'pending' }]);
    await sandbox.clock.advance('1s');
    expect(sandbox.payments()).toMatchObject([{ status: 'expired', settled_at: '2026-01-01T09:15:00.000Z' }]);
  });

  it('leaves a decided payment as it is when its time comes', async () => {
    await gateway.collect();
    await sandbox.customer(phone).decline('order-1');
    await sandbox.clock.advance('1h');

    expect(sandbox.payments()).toMatchObject([{ status: 'failed' }]);
    expect(sandbox.deliveries()).toHaveLength(1);
  });

  it('says clearly why a payment cannot be decided, without naming a phone number', async () => {
    await gateway.collect();
    const other = sandbox.customer('255799999999').approve('order-1');

    await expect(sandbox.customer(phone).approve('order-2')).rejects.toThrow('There is no payment order-2.');
    await expect(other).rejects.toThrow('asked of another phone number');
    await expect(other).rejects.not.toThrow(/255/);
    await sandbox.customer(phone).approve('order-1');
    await expect(sandbox.customer(phone).cancel('order-1')).rejects.toMatchObject({
      name: 'PaymentsSandboxError',
      code: 'SANDBOX_ALREADY_FINAL',
      message: 'The payment order-1 is success already: a final state never changes.',
    });
  });

  it('says clearly why a payout cannot be decided', async () => {
    await gateway.payToBank();
    await expect(sandbox.payout('nobody').pay()).rejects.toThrow('There is no payout nobody.');
    await sandbox.payout('salary-1').fail();
    await expect(sandbox.payout('salary-1').pay()).rejects.toThrow('is failed already');
  });

  it('keeps every merchant to itself', async () => {
    await gateway.collect({}, { key: 'key-1' });
    await gateway.collect({}, { key: 'key-1', merchant: 'other' });
    await gateway.payToBank({}, { merchant: 'other' });

    expect(sandbox.payments()).toMatchObject([{ merchant: 'demo' }, { merchant: 'other' }]);
    expect(sandbox.balance()).toMatchObject({ locked_balance: 0 });
    expect(sandbox.balance({ merchant: 'other' })).toMatchObject({ locked_balance: 20_500 });
    await expect(sandbox.customer(phone).approve('order-1')).rejects.toThrow('Several merchants');
    await sandbox.customer(phone, { merchant: 'other' }).approve('order-1');
    expect(sandbox.payments()).toMatchObject([{ status: 'pending' }, { status: 'success' }]);
  });

  it.each<[string, (sandbox: PaymentsSandbox, typo: object) => unknown]>([
    ['moduleOptions', (own, typo) => own.moduleOptions(typo)],
    ['customer', (own, typo) => own.customer(phone, typo)],
    ['payout', (own, typo) => own.payout('salary-1', typo)],
    ['next', (own, typo) => own.next('GET /merchant-balance', typo)],
    ['balance', (own, typo) => own.balance(typo)],
    ['statement', (own, typo) => own.statement(typo)],
  ])('refuses a misspelled option of %s, which would select the wrong merchant', (call, use) => {
    const message = `The option \`merchnat\` of ${call}() does not exist: did you mean \`merchant\`?`;
    const error = expect.objectContaining({ name: 'PaymentsConfigError', message }) as Error;
    expect(() => use(sandbox, { merchnat: 'other' })).toThrow(error);
  });

  it("refuses a misspelled option of one merchant's calls", () => {
    const shop = sandbox.merchant('shop');
    const date = new Date(0);
    expect(() => shop.statement({ frm: date } as object)).toThrow(
      'The option `frm` of statement() does not exist: did you mean `from`?',
    );
    // It would plan the fault for its own calls, not for the other merchant's.
    expect(() => shop.next('GET /merchant-balance', { merchant: 'other' } as object)).toThrow(
      'The option `merchant` of next() does not exist: write reference.',
    );
  });

  it('decides by itself two seconds after acceptance with auto', async () => {
    const auto = await startSandbox({ clock: 'manual', auto: true });
    await callerOf(auto).collect();
    await callerOf(auto).payToBank();
    await auto.clock.advance('2s');

    expect(auto.payments()).toMatchObject([{ status: 'success' }]);
    expect(auto.payouts()).toMatchObject([{ status: 'paid' }]);
  });

  it('writes requests down with their secrets masked', async () => {
    await gateway.collect({}, { key: 'key-1' });

    expect(sandbox.requests()).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/payments/mobile-money',
        merchant: 'demo',
        status: 200,
        code: 'PAYMENT_INITIATED',
        fault: null,
        headers: { 'idempotency-key': 'key-1', 'x-api-key': 'pk_test_…', 'x-api-secret': 'sk_test_…' },
        body: COLLECTION,
      },
    ]);
  });

  it('keeps a payment as it is if a reader of the request changes the body', async () => {
    await gateway.collect();
    const [request] = sandbox.requests();
    Object.assign(request!.body as object, { reference: 'hidden', metadata: { hidden: true } });
    await sandbox.customer(phone).approve('order-1');

    expect(sandbox.payments()).toMatchObject([{ reference: 'order-1', status: 'success' }]);
    expect(sandbox.deliveries()).toMatchObject([{ reference: 'order-1' }]);
  });

  it('forgets the oldest requests beyond four mebibytes', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(60_000) });
    for (let call = 0; call < 80; call += 1) await fetch(`${sandbox.baseUrl}/`, { method: 'POST', body });
    const kept = sandbox.requests().map(({ id }) => Number(id));
    expect(kept.length).toBeGreaterThan(65);
    expect(kept.length).toBeLessThan(70);
    expect(kept).toEqual(kept.map((_, index) => 81 - kept.length + index));
  });

  it('hands out copies that change nothing inside', async () => {
    await gateway.collect({ metadata: { nested: { deep: 1 } } });
    const [payment] = sandbox.payments();

    expect(() => Object.assign(payment!, { status: 'success' })).toThrow(TypeError);
    (payment!.metadata as { nested: { deep: number } }).nested.deep = 2;
    expect(sandbox.payments()).toMatchObject([{ status: 'pending', metadata: { nested: { deep: 1 } } }]);
  });

  it('forgets everything with reset, but continues with new ids', async () => {
    const first = await gateway.collect({}, { key: 'key-1' });
    await gateway.payToBank();
    sandbox.next('GET /merchant-balance').status(500);
    sandbox.directory.close('0123456789');
    await sandbox.reset();

    expect([sandbox.payments(), sandbox.payouts(), sandbox.requests(), sandbox.deliveries()]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(sandbox.balance()).toMatchObject({ balance: 1_000_000, locked_balance: 0 });
    expect(await gateway.get('/merchant-balance')).toMatchObject({ status: 200 });
    expect(await gateway.payToBank()).toMatchObject({ status: 200 });
    const second = await gateway.collect({}, { key: 'key-1' });
    expect(second.status).toBe(200);
    expect(second.body['request_id']).not.toBe(first.body['request_id']);
  });

  it('gives the same ids for the same seed, and others for another', async () => {
    const answers = await Promise.all(
      [3, 4].map(async (seed) => {
        const other = await startSandbox({ clock: 'manual', seed });
        return (await callerOf(other).collect()).body;
      }),
    );
    const { body } = await gateway.collect();
    expect(answers[0]).toEqual(body);
    expect(answers[1]).not.toEqual(body);
  });

  it('gives each sandbox a webhook secret of its own', async () => {
    const [one, two] = [await startSandbox(), await startSandbox()];
    expect(one.webhookSecret).not.toBe(two.webhookSecret);
    expect(one.moduleOptions().webhooks?.secrets).toEqual([one.webhookSecret]);
  });

  it('shows nothing of a seeded webhook secret in the public ids', async () => {
    await gateway.collect();
    const [payment] = sandbox.payments();
    expect(sandbox.webhookSecret).toMatch(/^whsec_/);
    expect(sandbox.webhookSecret).not.toContain(payment!.provider_reference.slice('SBX'.length));
  });

  it('shows its address and no secret when it is logged', () => {
    expect(inspect(sandbox)).toBe(`PaymentsSandbox { ${sandbox.url} }`);
  });

  it('is ready in under 50 ms', async () => {
    // The fastest of as many as it takes: a busy machine makes each of them wait for its turn.
    await eventually(async () => {
      const before = performance.now();
      await startSandbox();
      expect(performance.now() - before).toBeLessThan(50);
    });
  });

  it('starts and stops many times without keeping a port', async () => {
    const { port } = new URL(sandbox.url);
    await sandbox.stop();
    for (let turn = 0; turn < 50; turn += 1) {
      await using again = await PaymentsSandbox.start({ port: Number(port) });
      expect((await fetch(`${again.baseUrl}/`)).status).toBe(404);
    }
    await sandbox.stop();
  });

  it('says which port is taken and how to choose another', async () => {
    const { port } = new URL(sandbox.url);
    await expect(PaymentsSandbox.start({ port: Number(port) })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken: something else listens there. Choose another with \`port\` (\`--port\``,
    );
  });

  it.each<[string, PaymentsSandboxOptions]>([
    ['port', { port: 70_000 }],
    ['host', { host: '0.0.0.0' }],
    ['clock', { clock: 'lunar' as 'real' }],
    ['seed', { seed: -1 }],
    ['profile', { profile: 'friendly' as 'documented' }],
    ['startingBalance', { startingBalance: 'plenty' }],
    ['fees.collectionPercent', { fees: { collectionPercent: 101 } }],
    ['fees.payout', { fees: { payout: '-1' } }],
    ['expireAfter', { expireAfter: 'soon' as '1s' }],
    ['webhookSecret', { webhookSecret: 'short' }],
    ['webhookTimeoutMs', { webhookTimeoutMs: 0.5 }],
    ['webhookScheme', { webhookScheme: { name: 'deaf', verify: () => ({ ok: true }) } }],
  ])('refuses a wrong %s by name', async (name, options) => {
    await expect(PaymentsSandbox.start(options)).rejects.toThrow(`Sandbox option ${name} `);
  });

  it('holds the fees and balances that it was given', async () => {
    const free = await startSandbox({ fees: { collectionPercent: 0, payout: 0 }, startingBalance: '0' });
    expect((await callerOf(free).payToBank()).body).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await callerOf(free).collect();
    await free.customer(phone).approve('order-1');
    expect((await callerOf(free).payToBank({ amount: 15_000 })).body).toMatchObject({
      data: { fee: '0.00' },
    });
  });

  it('runs by the real clock unless told otherwise', async () => {
    const receiver = await startReceiver();
    const real = await startSandbox({ expireAfter: 10 });
    real.deliverTo(receiver.url);
    const delivered = new Promise((resolve) => real.on('delivery', resolve));
    await callerOf(real).collect();

    expect(await delivered).toMatchObject({ event: 'payment.expired', state: 'delivered' });
    await real.stop();
    await receiver.close();
  });
});
