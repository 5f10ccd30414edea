import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { type WebhookReceiver } from '../../support/webhook-receiver.js';
import { type SandboxStage, setSandboxStage } from '../../support/sandbox-stage.js';

describe('explain(reference)', () => {
  let stage: SandboxStage;
  let sandbox: PaymentsSandbox;
  let gateway: SandboxStage['gateway'];
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    stage = await setSandboxStage();
    ({ sandbox, gateway, receiver } = stage);
  });

  afterEach(() => stage.close());

  it("tells a payment's whole story", async () => {
    receiver.answerWith(401, 503, 200);
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await gateway.collect({ phone: '255700000010' }, { key: 'key-1' }).catch(() => 'no answer');
    await gateway.collect({ phone: '255700000010' }, { key: 'key-1' });
    await sandbox.clock.advance('1m');
    const hook = receiver.url.replace(/\?.*/, '');

    expect(sandbox.explain('order-1').split('\n')).toEqual([
      "order-1 of demo, by the sandbox's clock:",
      '  2026-01-01T09:00:00.000Z  payment   pending, 15000.00 TZS by NET_FIVE',
      '  2026-01-01T09:00:00.000Z  request   POST /payments/mobile-money, key key-1 -> no answer (dropAfterProcessing) [fault dropAfterProcessing]',
      '  2026-01-01T09:00:00.000Z  request   POST /payments/mobile-money, key key-1 -> 409 DUPLICATE_REQUEST [ending 0010]',
      '  2026-01-01T09:00:02.000Z  payment   processing, 15000.00 TZS by NET_FIVE',
      '  2026-01-01T09:00:02.000Z  payment   success, 15000.00 TZS by NET_FIVE',
      `  2026-01-01T09:00:02.000Z  delivery  payment.success, try 1 (forged) to ${hook} -> answered 401: its signature was forged on purpose`,
      `  2026-01-01T09:00:02.000Z  delivery  payment.success, try 2 to ${hook} -> answered 503 instead of 200; next try at 2026-01-01T09:00:07.000Z`,
      `  2026-01-01T09:00:07.000Z  delivery  payment.success, try 3 to ${hook} -> 200`,
    ]);
  });

  it("tells a payout's", async () => {
    await gateway.payToBank({}, { key: 'key-1' });
    await sandbox.clock.advance('5s');
    await sandbox.payout('salary-1').fail();

    expect(sandbox.explain('salary-1').split('\n').slice(1)).toEqual([
      '  2026-01-01T09:00:00.000Z  payout    processing, 20000.00 TZS and 500.00 fee to BSB',
      '  2026-01-01T09:00:00.000Z  request   POST /disbursements/bank, key key-1 -> 200 DISBURSEMENT_INITIATED [default manual]',
      '  2026-01-01T09:00:05.000Z  payout    failed, 20000.00 TZS and 500.00 fee to BSB',
    ]);
  });

  it('says that there was no address to deliver to', async () => {
    const quiet = await startSandbox({ clock: 'manual' });
    await callerOf(quiet).collect();
    await quiet.customer(COLLECTION.phone).decline('order-1');
    expect(quiet.explain('order-1')).toContain('payment.failed, not sent: there was no address (deliverTo)');
  });

  it('says that the address is turned off, or takes other events', async () => {
    const endpoint = `${sandbox.url}/_sandbox/v1/webhooks/endpoints/default`;
    const change = (fields: object) =>
      fetch(endpoint, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      });
    await change({ events: ['payment.failed'] });
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(sandbox.explain('order-1')).toContain('payment.success, not sent: its address takes other events');
    await change({ enabled: false });
    await gateway.collect({ reference: 'order-2' });
    await sandbox.customer(COLLECTION.phone).decline('order-2');
    expect(sandbox.explain('order-2')).toContain(
      'payment.failed, not sent: its address was turned off or removed',
    );
  });

  it.each([
    ['turned off and on again', 'PATCH'],
    ['removed', 'DELETE'],
  ])('says that no try follows once the address was %s', async (_, method) => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(sandbox.explain('order-1')).toContain('next try at 2026-01-01T09:00:05.000Z');
    for (const enabled of [false, true]) {
      await fetch(`${sandbox.url}/_sandbox/v1/webhooks/endpoints/default`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ enabled }),
      });
    }
    const end =
      '  2026-01-01T09:00:00.000Z  delivery  payment.success, not sent again: its address was turned off or removed';
    expect(sandbox.explain('order-1').split('\n').slice(-1)).toEqual([end]);
    await sandbox.clock.advance('1h');
    expect(sandbox.explain('order-1').split(end)).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  it('shows what the adversarial profile varied', async () => {
    const adversarial = await startSandbox({ clock: 'manual', profile: 'adversarial', seed: 7 });
    await callerOf(adversarial).collect();
    const varied = adversarial.requests()[0]?.varied ?? [];
    expect(varied).not.toEqual([]);
    expect(adversarial.explain('order-1')).toContain(`(varied: ${varied.join(', ')})`);
  });

  it('shows each merchant separately, or one alone', async () => {
    await gateway.collect();
    await gateway.collect({}, { merchant: 'other' });
    expect(sandbox.explain('order-1').match(/of \w+, by/g)).toEqual(['of demo, by', 'of other, by']);
    expect(sandbox.merchant('other').explain('order-1')).not.toContain('of demo');
  });

  it('names what it has seen if it does not know the reference', async () => {
    expect(sandbox.explain('order-9')).toBe(
      'Nothing has happened to order-9. The sandbox has seen no reference yet.',
    );
    await gateway.collect();
    expect(sandbox.explain('order-9')).toBe('Nothing has happened to order-9. Seen last: order-1.');
    expect(sandbox.explain(undefined as unknown as string)).toContain('Nothing has happened to undefined.');
  });

  it('holds no secret, no personal data and nothing that moves the cursor', async () => {
    const reference = 'order\u001b[2J\n1';
    await gateway.collect({ reference });
    await sandbox.customer(COLLECTION.phone).approve(reference);

    const story = sandbox.explain(reference);
    expect(story).toContain('payment.success');
    for (const hidden of ['sk_test', 'whsec', 'Asha', 'asha@', COLLECTION.phone, 'shop=1', '\u001b', '\n1']) {
      expect(story).not.toContain(hidden);
    }
  });
});
