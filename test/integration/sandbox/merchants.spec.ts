import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { BANK_PAYOUT, callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

const COLLECT = 'POST /payments/mobile-money';
const one = { merchant: 'one' };
const two = { merchant: 'two' };

/** What the clock holds, which nothing public counts. */
function timersOf({ clock }: PaymentsSandbox) {
  const inside = clock as unknown as { readonly waiting: readonly unknown[] };
  return { waiting: () => inside.waiting.length, due: () => clock.dueEvents() };
}

describe("a sandbox's merchants", () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let receivers: readonly [WebhookReceiver, WebhookReceiver];

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    gateway = callerOf(sandbox);
    receivers = [await startReceiver(), await startReceiver()];
    sandbox.merchant('one').deliverTo(receivers[0].url);
    sandbox.merchant('two').deliverTo(receivers[1].url);
  });

  afterEach(async () => {
    await sandbox.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  it('have payments, wallets, requests and webhooks of their own', async () => {
    await gateway.collect({}, one);
    await gateway.collect({}, two);
    await sandbox.merchant('one').customer(COLLECTION.phone).approve('order-1');
    await gateway.payToBank({}, two);
    await sandbox.merchant('two').payout('salary-1').pay();

    expect(sandbox.merchant('one').payments()).toMatchObject([{ merchant: 'one', status: 'success' }]);
    expect(sandbox.merchant('two').payments()).toMatchObject([{ merchant: 'two', status: 'pending' }]);
    expect(sandbox.merchant('one').payouts()).toEqual([]);
    expect(sandbox.merchant('one').balance()).toMatchObject({ balance: 1_014_700 });
    expect(sandbox.merchant('two').balance()).toMatchObject({ balance: 979_500 });
    expect(sandbox.merchant('one').requests()).toHaveLength(1);
    expect(sandbox.merchant('one').deliveries()).toHaveLength(1);
    expect(receivers.map(({ received }) => received.length)).toEqual([1, 0]);
  });

  it('know accounts and take faults of their own', async () => {
    sandbox.merchant('one').directory.close(BANK_PAYOUT.account_number);
    sandbox.merchant('one').next(COLLECT).status(503);

    expect(await gateway.payToBank({}, one)).toMatchObject({ body: { code: 'INVALID_ACCOUNT' } });
    expect(await gateway.payToBank({}, two)).toMatchObject({ status: 200 });
    expect(await gateway.collect({}, two)).toMatchObject({ status: 200 });
    expect(await gateway.collect({}, one)).toMatchObject({ status: 503 });
  });

  it('share the names that the sandbox itself knows', async () => {
    sandbox.directory.register(BANK_PAYOUT.account_number, 'Somebody Else');
    expect(await gateway.payToBank({}, one)).toMatchObject({ body: { code: 'ACCOUNT_NAME_MISMATCH' } });
    sandbox.merchant('one').directory.register(BANK_PAYOUT.account_number, BANK_PAYOUT.account_name);
    expect(await gateway.payToBank({}, one)).toMatchObject({ status: 200 });
  });

  it('get the same ids whatever the others do', async () => {
    const quiet = await startSandbox({ clock: 'manual', seed: 1 });
    await gateway.collect({}, two);
    const busy = await gateway.collect({}, one);
    expect((await callerOf(quiet).collect({}, one)).body).toEqual(busy.body);
  });

  it('are reset one by one: timers, calls under way and deliveries of the others continue', async () => {
    receivers[0].answerWith(500);
    await gateway.collect({}, one);
    await sandbox.merchant('one').customer(COLLECTION.phone).approve('order-1');
    await gateway.collect({ reference: 'order-2' }, one);
    await gateway.collect({ reference: 'order-2' }, two);
    sandbox.merchant('one').next(COLLECT).hang();
    sandbox.merchant('two').next('GET /merchant-balance').status(503);
    const hanging = gateway.collect({ reference: 'order-3' }, one);
    await new Promise<void>((resolve) =>
      sandbox.on('exchange', () => {
        resolve();
      }),
    );

    const [outcome] = await Promise.all([hanging.catch(() => 'given up'), sandbox.merchant('one').reset()]);
    expect(outcome).toBe('given up');
    expect(sandbox.merchant('one').payments()).toEqual([]);
    expect(sandbox.merchant('one').requests()).toEqual([]);
    expect(sandbox.merchant('two').requests()).toHaveLength(1);
    expect(sandbox.explain('order-1')).toContain('Nothing has happened');
    await sandbox.clock.advance('1d');

    expect(receivers[0].received).toHaveLength(1);
    expect(sandbox.deliveries()).toMatchObject([{ merchant: 'two', event: 'payment.expired' }]);
    expect(sandbox.merchant('two').payments()).toMatchObject([{ status: 'expired' }]);
    expect(await gateway.get('/merchant-balance', two)).toMatchObject({ status: 503 });
    expect(await gateway.collect({}, one)).toMatchObject({ status: 200 });
  });

  it('leave no timers behind when they are reset, and keep those of the others', async () => {
    const { waiting } = timersOf(sandbox);
    expect(waiting()).toBe(0);
    await gateway.collect({}, two);
    const ofTwo = waiting();
    await gateway.collect({}, one);
    await gateway.collect({ reference: 'order-2', phone: '255712340002' }, one);
    await gateway.payToBank({ account_number: '0123450002' }, one);
    expect(waiting()).toBeGreaterThan(ofTwo);
    await sandbox.merchant('one').reset();
    expect(waiting()).toBe(ofTwo);
    await sandbox.clock.advance('1h');
    expect(sandbox.payments()).toMatchObject([{ merchant: 'two', status: 'expired' }]);
  });

  it('have nothing due after a reset, also no late copies of their webhooks', async () => {
    const varied = await startSandbox({ clock: 'manual', seed: 1, profile: 'adversarial' });
    varied.deliverTo(receivers[0].url);
    for (let index = 0; index < 10; index += 1) {
      const reference = `order-${index}`;
      await callerOf(varied).collect({ reference }, one);
      await varied.customer(COLLECTION.phone).approve(reference);
    }
    const { due } = timersOf(varied);
    expect(new Set(due().map(({ what }) => what))).toContain('delivery');
    await varied.merchant('one').reset();
    expect(due()).toEqual([]);
  });

  it('start again with their wallet after a reset', async () => {
    await gateway.payToBank({}, one);
    await sandbox.merchant('one').reset();
    expect(sandbox.merchant('one').balance()).toMatchObject({ balance: 1_000_000, locked_balance: 0 });
  });

  it('keep their directories over a reset, which empties them', async () => {
    const { directory } = sandbox.merchant('one');
    const account = BANK_PAYOUT.account_number;
    const mismatch = { body: { code: 'ACCOUNT_NAME_MISMATCH' } };
    const empty = { status: 200 };
    for (const subject of [sandbox.merchant('one'), sandbox]) {
      directory.register(account, 'Somebody Else');
      expect(await gateway.payToBank({}, one)).toMatchObject(mismatch);
      await subject.reset();
      expect(await gateway.payToBank({}, one)).toMatchObject(empty);
      await subject.reset();
    }
  });

  it('write what a directory takes after a reset into an export', async () => {
    const { directory } = sandbox.merchant('one');
    await sandbox.merchant('one').reset();
    directory.close(BANK_PAYOUT.account_number);
    const other = await startSandbox({ clock: 'manual' });
    await other.import(sandbox.export());
    const answer = await callerOf(other).payToBank({}, one);
    expect(answer).toMatchObject({ body: { code: 'INVALID_ACCOUNT' } });
  });

  it('have one pair of keys after a revocation: no other one works, whether it was issued or not', async () => {
    const shop = sandbox.merchant('shop');
    shop.rotateKeys();
    shop.revokeOldKeys();
    const pairs = ['shop', 'shop.1', 'shop.2', 'shop.9'];
    const answers = pairs.map((merchant) => gateway.get('/merchant-balance', { merchant }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 200, 401, 401]);
    shop.rotateKeys();
    expect(await gateway.get('/merchant-balance', { merchant: 'shop.2' })).toMatchObject({ status: 200 });
  });

  it('have no pair of keys that was not issued, also before anybody has used them', async () => {
    const statuses = async () => {
      const pairs = ['shop.1', 'shop', 'shop.1', 'shop.2'];
      const answers = [];
      for (const merchant of pairs) answers.push(await gateway.get('/merchant-balance', { merchant }));
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([401, 200, 401, 401]);
    sandbox.merchant('shop').rotateKeys();
    expect(await statuses()).toEqual([200, 200, 200, 401]);
    await sandbox.merchant('shop').reset();
    expect(await statuses()).toEqual([401, 200, 401, 401]);
  });

  it.each(['', 'two words', 'x'.repeat(65)])('cannot be called %j', (name) => {
    expect(() => sandbox.merchant(name)).toThrow("A merchant's name has 1 to 64 letters");
  });
});
