import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type PaymentsSandboxOptions,
  type SandboxWorld,
  type SandboxWorldMerchant,
} from 'nestjs-payments/sandbox';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const root = mkdtempSync(join(tmpdir(), 'sandbox-world-'));
const PAYMENT = { amount: '15000.00', phone: '255712345678' };
const shop = { merchant: 'shop' };
const start = (world: SandboxWorld, options: PaymentsSandboxOptions = {}) =>
  startSandbox({ world: { clock: 'manual', ...world }, ...options });
const withShop = (merchant: SandboxWorldMerchant, world: SandboxWorld = {}) =>
  start({ ...world, merchants: { shop: merchant } });

afterAll(() => {
  rmSync(root, { recursive: true });
});

describe('a sandbox that begins with a world', () => {
  it('has its payments in their states, with their times and reasons', async () => {
    const sandbox = await withShop({
      payments: [
        { ...PAYMENT, reference: 'new' },
        { ...PAYMENT, reference: 'begun', status: 'processing' },
        { ...PAYMENT, reference: 'done', status: 'success', age: '2h' },
        { ...PAYMENT, reference: 'refused', status: 'failed', reason: 'Too little money', age: '1d' },
        { ...PAYMENT, reference: 'over', status: 'expired', method: 'partnerpesa' },
      ],
    });
    const now = sandbox.clock.now();
    expect(now).toBe(Date.UTC(2026, 0, 1, 9));
    const ago = (ms: number) => new Date(now - ms).toISOString();
    const seen = sandbox
      .payments()
      .map(({ reference, status, created_at, settled_at, reason }) => [
        reference,
        status,
        created_at,
        settled_at,
        reason,
      ]);
    expect(seen).toEqual([
      ['refused', 'failed', ago(86_400_000), ago(86_400_000), 'Too little money'],
      ['done', 'success', ago(7_200_000), ago(7_200_000), null],
      ['new', 'pending', ago(0), null, null],
      ['begun', 'processing', ago(0), null, null],
      ['over', 'expired', ago(0), ago(0), null],
    ]);
  });

  it('lets pending payments continue: one is approved, one expires at its time', async () => {
    const sandbox = await withShop(
      {
        payments: [
          { ...PAYMENT, reference: 'a', age: '4m' },
          { ...PAYMENT, reference: 'b', age: '4m' },
        ],
      },
      { expireAfter: '5m' },
    );
    const receiver = await startReceiver();
    sandbox.merchant('shop').deliverTo(receiver.url);
    await sandbox.customer(PAYMENT.phone, shop).approve('a');
    await sandbox.clock.advance('59s');
    expect(sandbox.payments().map(({ status }) => status)).toEqual(['success', 'pending']);
    await sandbox.clock.advance('1s');
    expect(sandbox.payments().map(({ status }) => status)).toEqual(['success', 'expired']);
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
  });

  it('has the balances that it names, whatever its payments and payouts moved', async () => {
    const payout = { amount: 20_000, bank_code: 'BSB', account_number: '0123456789' };
    const sandbox = await withShop(
      {
        balance: '250000.00',
        payments: [{ ...PAYMENT, reference: 'order-1', status: 'success' }],
        payouts: [
          { ...payout, reference: 'paid', status: 'paid' },
          { ...payout, reference: 'open', status: 'processing' },
        ],
      },
      { startingBalance: 0 },
    );
    expect(sandbox.balance(shop)).toMatchObject({ available_balance: 250_000, locked_balance: 20_500 });
    await sandbox.payout('open', shop).fail();
    expect(sandbox.balance(shop)).toMatchObject({ available_balance: 270_500, locked_balance: 0 });
    expect(sandbox.payouts().map(({ status }) => status)).toEqual(['paid', 'failed']);
  });

  it('answers calls with its names, banks, faults and used keys', async () => {
    const sandbox = await start({
      banks: [{ id: 1, name: 'Bank of Tests', code: 'BT' }],
      directory: { '0123456789': 'Neema Said', '0987654321': null },
      faults: [{ operation: 'GET /merchant-balance', kind: 'status', status: 503, times: 2 }],
      merchants: {
        shop: { payments: [{ ...PAYMENT, reference: 'order-1', idempotency_key: 'key-1' }] },
        other: { directory: { '0123456789': 'Baraka Juma' } },
      },
    });
    const gateway = callerOf(sandbox);
    const lookUp = (account_number: string, merchant: string) =>
      gateway.lookUp({ channel: 'BANK', bank_code: 'BT', account_number }, { merchant });
    expect((await lookUp('0123456789', 'shop')).body['data']).toMatchObject({ account_name: 'Neema Said' });
    expect((await lookUp('0123456789', 'other')).body['data']).toMatchObject({ account_name: 'Baraka Juma' });
    expect((await lookUp('0987654321', 'other')).body['code']).toBe('ACCOUNT_NOT_FOUND');
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await gateway.get('/merchant-balance')).status);
    expect(statuses).toEqual([503, 503, 200]);
    const used = await gateway.collect({ reference: 'order-2' }, { ...shop, key: 'key-1' });
    const twice = await gateway.collect({ reference: 'order-1' }, shop);
    expect([used.body['code'], twice.body['code']]).toEqual(['DUPLICATE_REQUEST', 'DUPLICATE_REFERENCE']);
  });

  it('sends its addresses only what happens later, and can replay what happened before', async () => {
    const receiver = await startReceiver();
    const sandbox = await withShop({
      payments: [
        { ...PAYMENT, reference: 'before', status: 'success' },
        { ...PAYMENT, reference: 'open' },
      ],
      webhooks: [{ url: receiver.url, events: ['payment.success'], secret: 'a-secret-of-this-test' }],
    });
    await sandbox.customer(PAYMENT.phone, shop).approve('open');
    expect(receiver.received).toHaveLength(1);
    const [before] = sandbox.deliveries();
    expect(before).toMatchObject({ reference: 'before', state: 'skipped' });
    await fetch(`${sandbox.url}/_sandbox/v1/deliveries/${before!.id}/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
  });

  it('takes its options, unless the start names others', async () => {
    const world: SandboxWorld = {
      seed: 5,
      webhookSecret: 'a-secret-of-the-world',
      startingBalance: 7,
      now: '2026-06-01T08:00:00Z',
      webhookScheme: { stripeStyle: { header: 'x-own' } },
    };
    const sandbox = await start(world, { startingBalance: '9.00' });
    expect([sandbox.seed, sandbox.webhookSecret]).toEqual([5, 'a-secret-of-the-world']);
    expect(sandbox.balance()).toMatchObject({ available_balance: 9 });
    expect(new Date(sandbox.clock.now()).toISOString()).toBe('2026-06-01T08:00:00.000Z');
    expect(sandbox.moduleOptions().webhooks?.scheme.name).toBe('stripe-style');
  });

  it('runs on a real clock from where it begins, or stands still', async () => {
    const running = await start({ clock: 'real' });
    expect(Math.abs(running.clock.now() - Date.now())).toBeLessThan(60_000);
    const frozen = await start({ clock: 'real', now: '2030-01-01T00:00:00Z', frozen: true });
    expect(frozen.clock.frozen).toBe(true);
    expect(new Date(frozen.clock.now()).toISOString()).toMatch(/^2030-01-01T00:00/);
  });

  it('begins with it only in a folder without a state, whose own state counts later', async () => {
    const data = join(root, 'state');
    const world: SandboxWorld = {
      seed: 5,
      fees: { payout: '1.00' },
      merchants: { shop: { payments: [{ ...PAYMENT, reference: 'order-1', age: '1m' }] } },
    };
    const first = await start(world, { data });
    await first.customer(PAYMENT.phone, shop).approve('order-1');
    await first.stop();

    const again = await start({ ...world, seed: 6, fees: { payout: '2.00' } }, { data });
    expect(again.seed).toBe(5);
    expect(again.payments()).toMatchObject([{ reference: 'order-1', status: 'success' }]);
    await callerOf(again).payToPhone();
    expect(again.payouts()).toMatchObject([{ fee: '2.00' }]);
  });

  it('leaves nothing in a folder if it cannot start', async () => {
    const data = join(root, 'port-taken');
    const port = Number(new URL((await startSandbox()).url).port);
    await expect(start({ merchants: { shop: { balance: '5.00' } } }, { data, port })).rejects.toThrow(
      /taken/,
    );
    const corrected = await start({ merchants: { shop: { balance: '77.00' } } }, { data });
    expect(corrected.balance(shop).available_balance).toBe(77);
    await corrected.stop();
  });

  it('plans each outcome once, also with a folder', async () => {
    const world = { merchants: { shop: { payments: [{ ...PAYMENT, reference: 'order-1' }] } } };
    const sandbox = await start(world, { data: join(root, 'once') });
    const due = (await (await fetch(`${sandbox.url}/_sandbox/v1/clock`)).json()) as {
      readonly due: unknown[];
    };
    expect(due.due).toHaveLength(1);
  });

  it.each<readonly [string, SandboxWorld, RegExp]>([
    [
      'a payment with a number that no gateway takes',
      { merchants: { shop: { payments: [{ ...PAYMENT, reference: 'a', phone: '0712' }] } } },
      /^merchants\.shop\.payments\[0\]\.phone is refused by the gateway: The phone /,
    ],
    [
      'two payments of one reference',
      {
        merchants: {
          shop: {
            payments: [
              { ...PAYMENT, reference: 'a' },
              { ...PAYMENT, reference: 'a' },
            ],
          },
        },
      },
      /^merchants\.shop\.payments\[1\] is refused by the gateway: DUPLICATE_REFERENCE/,
    ],
    [
      'a payment that would have expired',
      { merchants: { shop: { payments: [{ ...PAYMENT, reference: 'a', status: 'pending', age: '2h' }] } } },
      /^merchants\.shop\.payments\[0\]\.status cannot be pending at this age: it is expired/,
    ],
    [
      'a payout to nobody',
      { merchants: { shop: { payouts: [{ reference: 'a', amount: 1 }] } } },
      /^merchants\.shop\.payouts\[0\] needs either bank_code and account_number, or recipient_phone/,
    ],
    [
      'a webhook address of another machine',
      { webhooks: [{ url: 'http://example.com/' }] },
      /^webhooks\[0\] is refused: The webhook address is not on this machine/,
    ],
    [
      'a fault with fields of another kind',
      { faults: [{ operation: 'GET /merchant-balance', kind: 'hang', status: 500 }] },
      /^faults\[0\] is refused: `status` belongs to/,
    ],
    ['a form that is wrong', { clock: 'slow' } as never, /^clock must be one of real, manual\.$/],
  ])('refuses %s', async (_, world, message) => {
    await expect(start(world)).rejects.toThrow(message);
  });
});
