import { describe, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayFacts, type PaymentsSandbox, sandboxMatchers } from 'nestjs-payments/sandbox';
import { REFUSED, SUCCEEDED } from '../../support/gateway-asks.js';
import { BANK_PAYOUT, callerOf, COLLECTION, MOBILE_PAYOUT } from '../../support/gateway-caller.js';
import { profileWith, randomProfile } from '../../support/gateway-profiles.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

expect.extend(sandboxMatchers);

describe('an emulator with a profile', () => {
  it('gives the first answer again after a restart and after an import', async () => {
    const facts: GatewayFacts = { 'repeated key': 'first answer', 'key of a refusal': 'used' };
    const data = mkdtempSync(join(tmpdir(), 'facts-'));
    const before = await startWith(facts, { data });
    const first = await callerOf(before).collect({}, { key: 'one' });
    const refused = await callerOf(before).payToBank({ bank_code: 'NONE' }, { key: 'two' });
    const state = before.export();
    await before.stop();
    const restarted = await startWith(facts, { data });
    const imported = await startWith(facts);
    await imported.import(state);
    for (const sandbox of [restarted, imported]) {
      const gateway = callerOf(sandbox);
      expect((await gateway.collect({}, { key: 'one' })).body).toEqual(first.body);
      expect((await gateway.payToBank({ bank_code: 'NONE' }, { key: 'two' })).body).toEqual(refused.body);
      expect(sandbox.payments()).toHaveLength(1);
    }
  });

  it.each([400, 413, 415])(
    'keeps the status of HTTP for a body of another type, and says %s for one that is no JSON',
    async (status) => {
      const gateway = callerOf(
        await startWith({ 'status of INVALID_REQUEST': status, 'shape of INVALID_REQUEST': 'B' }),
      );
      const headers = { 'content-type': 'text/plain' };
      expect(await gateway.post('/payments/mobile-money', COLLECTION, { headers })).toMatchObject({
        status: 415,
        body: { status: 'error' },
      });
      expect(await gateway.post('/payments/mobile-money', '{')).toMatchObject({
        status,
        body: { success: false },
      });
    },
  );

  it('tells with which status a webhook was received', async () => {
    const sandbox = await startWith({ 'webhook answers': '2xx' });
    const receiver = await startReceiver();
    receiver.answerWith(201);
    sandbox.deliverTo(receiver.url);
    await callerOf(sandbox).collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(sandbox.explain('order-1')).toMatch(/try 1 to \S+ -> 201$/);
    await receiver.close();
  });

  it('remembers every request of a key if it takes another one with a used key', async () => {
    const sandbox = await startWith({
      'repeated key': 'first answer',
      'repeated key, other body': 'accepted',
    });
    const gateway = callerOf(sandbox);
    const pay = (reference: string) => gateway.payToBank({ reference }, { key: 'one' });
    const [first, other] = [await pay('salary-1'), await pay('salary-2')];
    expect((await pay('salary-1')).body).toEqual(first.body);
    expect((await pay('salary-2')).body).toEqual(other.body);
    expect(sandbox.payouts()).toHaveLength(2);
  });

  it('explains the balance after a second payment took the reference of the first', async () => {
    const sandbox = await startWith({ 'repeated reference': 'accepted' });
    for (const amount of [15_000, 20_000]) {
      await callerOf(sandbox).collect({ amount });
      await sandbox.customer(COLLECTION.phone).approve('order-1');
      await sandbox.clock.advance('1m');
    }
    expect(sandbox.payments().map(({ amount }) => amount)).toEqual(['20000.00']);
    expect(sandbox.balance().available_balance).toBe(1_034_300);
    expect(sandbox.statement()).toMatch(
      /Adjustment,,,14700\.00,[^]*Collection,order-1,\w+,20000\.00,400\.00/,
    );
  });

  it('counts every payment of a reference that the gateway took twice, after a restart and an import too', async () => {
    const data = mkdtempSync(join(tmpdir(), 'facts-'));
    const facts: GatewayFacts = { 'repeated reference': 'accepted' };
    const before = await startWith(facts, { data });
    const pay = async (sandbox: PaymentsSandbox, merchant: string): Promise<void> => {
      await callerOf(sandbox).collect({}, { merchant });
      await sandbox.customer(COLLECTION.phone, { merchant }).approve('order-1');
    };
    await pay(before, 'demo');
    await callerOf(before).collect();
    expect(before).toHavePaidOnce('order-1');
    await before.customer(COLLECTION.phone).approve('order-1');
    await pay(before, 'shop');

    const imported = await startWith(facts);
    await imported.import(before.export());
    const expectCounted = (sandbox: PaymentsSandbox): void => {
      expect(sandbox.merchant('demo')).not.toHavePaidOnce('order-1');
      expect(sandbox.merchant('shop')).toHavePaidOnce('order-1');
    };
    expectCounted(before);
    expectCounted(imported);
    await before.stop();
    const restarted = await startWith(facts, { data });
    expectCounted(restarted);
    await restarted.merchant('demo').reset();
    expect(restarted).toHavePaidOnce('order-1');
  });

  it('leaves a payment alone once another one has taken its reference', async () => {
    const sandbox = await startWith({ 'repeated reference': 'accepted' });
    const gateway = callerOf(sandbox);
    await gateway.collect({ phone: '255712340002' });
    await gateway.collect();
    await sandbox.clock.advance('10s');
    expect(sandbox.payments().map(({ status }) => status)).toEqual(['pending']);
    expect(sandbox.explain('order-1')).not.toContain('processing');
  });

  it('signs webhooks as the gateway that was observed, unless a scheme is given', async () => {
    const webhooks = {
      scheme: 'hmac',
      header: 'x-their-signature',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: 'v1=',
      payload: ['timestamp', { literal: '.' }, 'body'],
      timestamp: { header: 'x-their-time', unit: 's' },
    } as const;
    const receiver = await startReceiver();
    const sandbox = await startSandbox({ profile: { ...profileWith({}), webhooks } });
    sandbox.deliverTo(receiver.url);
    await callerOf(sandbox).collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const [delivery] = receiver.received;
    expect(delivery?.headers['x-their-signature']).toMatch(/^v1=[\w+/]{86}==$/);
    expect(delivery?.headers['x-their-time']).toMatch(/^\d{10}$/);
    const { scheme } = sandbox.moduleOptions().webhooks as { readonly scheme: object };
    const own = await startSandbox({
      profile: { ...profileWith({}), webhooks },
      webhookScheme: scheme as never,
    });
    expect((own.moduleOptions().webhooks as { readonly scheme: object }).scheme).toBe(scheme);
    await receiver.close();
  });

  it('says in its state that the gateway was observed', async () => {
    const sandbox = await startWith({});
    const response = await fetch(`${sandbox.url}/_sandbox/v1/info`);
    expect(await response.json()).toMatchObject({ profile: 'observed' });
  });

  it('refuses a profile that is wrong, with the field and what may stand there', async () => {
    const profile = profileWith({ bearer: 'acepted' } as never);
    await expect(startSandbox({ profile })).rejects.toThrow(
      `Sandbox option profile: facts["bearer"] must be one of "accepted", "refused". Did you mean 'accepted'?`,
    );
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'keeps its books whatever the gateway does (seed %i)',
    async (seed) => {
      const sandbox = await startSandbox({ clock: 'manual', profile: randomProfile(seed) });
      const gateway = callerOf(sandbox);
      for (const ask of [...Object.values(REFUSED), ...Object.values(SUCCEEDED)])
        expect((await ask(gateway)).status).toBeLessThan(503);
      await gateway.payToPhone(MOBILE_PAYOUT);
      await gateway.payToBank(BANK_PAYOUT);
      const locked = sandbox.payouts().reduce((sum, { total_amount: total }) => sum + Number(total), 0);
      expect(sandbox.balance().locked_balance).toBe(locked);
      await sandbox.stop();
    },
  );
});

function startWith(facts: GatewayFacts, options: { readonly data?: string } = {}): Promise<PaymentsSandbox> {
  return startSandbox({ clock: 'manual', profile: profileWith(facts), ...options });
}
