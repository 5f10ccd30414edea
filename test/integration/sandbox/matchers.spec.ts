import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, sandboxMatchers, type SandboxMatchers } from 'nestjs-payments/sandbox';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

expect.extend(sandboxMatchers);

declare module 'vitest' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- this is how matchers are declared
  interface Matchers<T> extends SandboxMatchers<T> {}
}

const COLLECT = 'POST /payments/mobile-money';

describe("the sandbox's matchers", () => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    receiver = await startReceiver();
    receiver.answerWith(500, 200);
    sandbox.deliverTo(receiver.url);
    const gateway = callerOf(sandbox);
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    await gateway.collect({ reference: 'order-2', amount: 100 });
    await gateway.payToBank();
  });

  afterEach(async () => {
    await sandbox.stop();
    await receiver.close();
  });

  it('pass if it is so', async () => {
    expect(sandbox).toHaveReceived(COLLECT);
    expect(sandbox).toHaveReceived(COLLECT, { times: 2 });
    expect(sandbox).toHaveReceived(COLLECT, {
      times: 1,
      body: { reference: 'order-2', amount: expect.any(Number) },
    });
    expect(sandbox).toHaveReceived(COLLECT, { times: 2, status: 200 });
    expect(sandbox).toHaveCollection('order-1', { status: 'success', amount: '15000.00' });
    expect(sandbox).toHavePayout('salary-1', {
      status: 'processing',
      total_amount: expect.stringMatching(/^20/) as string,
    });
    expect(sandbox).toHavePaidOnce('order-1');
    await sandbox.clock.advance('5s');
    expect(sandbox).toHaveDelivered('payment.success', { reference: 'order-1', attempts: 2, status: 200 });
    await sandbox.payout('salary-1').pay();
    expect(sandbox.merchant('demo')).toHavePaidOnce('salary-1');
    expect(sandbox.merchant('another')).toHaveNoFailedDeliveries();
  });

  it('pass with not if it is not', () => {
    expect(sandbox).not.toHaveReceived('GET /merchant-balance');
    expect(sandbox).not.toHaveReceived(COLLECT, { times: 1 });
    expect(sandbox).not.toHaveReceived(COLLECT, { status: 500 });
    expect(sandbox).not.toHaveReceived(COLLECT, { body: { reference: 'order-3' } });
    expect(sandbox).not.toHaveCollection('salary-1');
    expect(sandbox).not.toHaveCollection('order-2', { status: 'success' });
    expect(sandbox).not.toHavePayout('order-1');
    expect(sandbox).not.toHavePaidOnce('order-2');
    expect(sandbox).not.toHaveDelivered('payment.success');
    expect(sandbox).not.toHaveNoFailedDeliveries();
  });

  it.each<[string, () => void, readonly string[]]>([
    [
      'toHaveReceived',
      () => {
        expect(sandbox).toHaveReceived(COLLECT, { times: 3 });
      },
      [
        'to have received 3 requests POST /payments/mobile-money',
        'Found: 2 of 2 requests',
        'order-1 of demo',
        'order-2 of demo',
      ],
    ],
    [
      'toHaveCollection',
      () => {
        expect(sandbox).toHaveCollection('order-2', { status: 'success' });
      },
      ['to have a collection order-2 {"status":"success"}', 'Found: pending, 100.00', 'order-2 of demo'],
    ],
    [
      'toHavePayout',
      () => {
        expect(sandbox).toHavePayout('salary-1', { status: 'paid' });
      },
      ['to have a payout salary-1', 'Found: processing, 20000.00', 'salary-1 of demo'],
    ],
    [
      'toHavePaidOnce',
      () => {
        expect(sandbox).toHavePaidOnce('order-2');
      },
      ['the money of order-2 exactly once', 'Found: 0 payments', 'payment   pending'],
    ],
    [
      'toHaveDelivered',
      () => {
        expect(sandbox).toHaveDelivered('payment.success');
      },
      ['to have delivered payment.success', 'Found: waiting after 1 tries', 'answered 500 instead of 200'],
    ],
    [
      'toHaveNoFailedDeliveries',
      () => {
        expect(sandbox).toHaveNoFailedDeliveries();
      },
      ['Found: 1 deliveries with one', 'answered 500 instead of 200'],
    ],
    [
      'not.toHaveCollection',
      () => {
        expect(sandbox).not.toHaveCollection('order-1');
      },
      ['not to have a collection order-1', 'order-1 of demo'],
    ],
  ])('%s prints the story when it fails', (_, fail, parts) => {
    const message = messageOf(fail);
    for (const part of parts) expect(message).toContain(part);
  });

  it('refuse what is no sandbox', () => {
    expect(() => {
      expect({}).toHavePaidOnce('order-1');
    }).toThrow('write expect(sandbox)');
  });
});

function messageOf(fail: () => void): string {
  try {
    fail();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It should have failed.');
}
