import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, sandboxMatchers, type SandboxMatchers } from 'nestjs-payments/sandbox';
import { BANK_PAYOUT, callerOf, COLLECTION, MOBILE_PAYOUT } from '../../support/gateway-caller.js';
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

  it('name what differs with its type, and no personal value', () => {
    const wrong = {
      status: 'success',
      net_amount: '98.00' as unknown as number,
      customer_name: 'Juma Hamisi',
      metadata: { of: 'the merchant' },
    };
    const message = messageOf(() => {
      expect(sandbox).toHaveCollection('order-2', wrong);
    });
    expect(message).toContain('net_amount: expected string "98.00", found number 98');
    expect(message).toContain('status: expected string "success", found string "pending"');
    expect(message).toContain('customer_name: expected string, found string');
    expect(message).toContain('metadata: expected object, found null');
    expect(message).not.toMatch(/Juma|Asha|the merchant/);
  });

  it('name what differs in the body of the call that is the nearest', () => {
    const message = messageOf(() => {
      expect(sandbox).toHaveReceived(COLLECT, {
        body: { reference: 'order-2', amount: '100.00', phone: '255700000001' },
        status: 201,
      });
    });
    expect(message).toContain('{"reference":"order-2","amount":"100.00","phone":(string),');
    expect(message).toContain('amount: expected string "100.00", found number 100');
    expect(message).toContain('phone: expected string, found string');
    expect(message).toContain('status of the answer: expected number 201, found number 200');
    expect(message).not.toContain('reference: expected');
    expect(message).not.toContain('255700000001');
  });

  it('print big integers and asymmetric matchers', () => {
    const big = { fee: 2n as unknown as number, amount: expect.stringContaining('7') as string };
    const message = messageOf(() => {
      expect(sandbox).toHaveCollection('order-2', big);
    });
    expect(message).toContain('fee: expected bigint 2n, found number 2');
    expect(message).toMatch(/amount: expected .*StringContaining.*, found string "100.00"/);
    expect(sandbox).not.toHaveCollection('order-2', big);
  });

  it.each<[string, () => void, string]>([
    [
      'an operation',
      () => {
        expect(sandbox).not.toHaveReceived('POST /payments/mobile-mony' as typeof COLLECT);
      },
      "Did you mean 'POST /payments/mobile-money'?",
    ],
    [
      'an option of toHaveReceived',
      () => {
        expect(sandbox).toHaveReceived(COLLECT, { time: 5 } as object);
      },
      "Did you mean 'times'?",
    ],
    [
      'an event',
      () => {
        expect(sandbox).not.toHaveDelivered('payment.sucess');
      },
      "Did you mean 'payment.success'?",
    ],
    [
      'an option of toHaveDelivered',
      () => {
        expect(sandbox).not.toHaveDelivered('payment.success', { referense: 'order-1' } as object);
      },
      "Did you mean 'reference'?",
    ],
    [
      'a field of a payment',
      () => {
        expect(sandbox).not.toHaveCollection('order-1', { satus: 'success' } as object);
      },
      "Did you mean 'status'?",
    ],
    [
      'a field of a payout',
      () => {
        expect(sandbox).not.toHavePayout('salary-1', { acount_name: 'x' } as object);
      },
      "Did you mean 'account_name'?",
    ],
    [
      'a field of a body',
      () => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body: { amuont: 5 } });
      },
      'The specification knows no "amuont" in the body of POST /payments/mobile-money: write amount, currency,',
    ],
    [
      'a field of a body, even as a matcher,',
      () => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body: { referense: expect.any(String) } });
      },
      "Did you mean 'reference'?",
    ],
    [
      'a field of the body of another operation',
      () => {
        expect(sandbox).not.toHaveReceived('POST /disbursements/bank', { body: { phone: '255712345678' } });
      },
      'knows no "phone" in the body of POST /disbursements/bank',
    ],
    [
      'a field of an operation without a body',
      () => {
        expect(sandbox).not.toHaveReceived('GET /merchant-balance', { body: { currency: 'TZS' } });
      },
      'knows no "currency" in the body of GET /merchant-balance: it has no body.',
    ],
  ])('refuse %s that does not exist, also with not', (_what, check, words) => {
    expect(check).toThrow(words);
    expect(check).toThrow(expect.objectContaining({ name: 'PaymentsConfigError' }));
  });

  it.each(['1', NaN, Infinity, -1, 1.5, null, true])(
    'refuse to count %s times or tries, also with not',
    (count) => {
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, { times: count } as object);
      }).toThrow(/^toHaveReceived takes a whole number from 0 on as `times`: write { times: 1 }\.$/);
      for (const attempts of [count, 0]) {
        expect(() => {
          expect(sandbox).not.toHaveDelivered('payment.success', { attempts } as object);
        }).toThrow(/^toHaveDelivered takes a whole number from 1 on as `attempts`: write { attempts: 1 }\.$/);
      }
    },
  );

  it.each(['200', 'pending', NaN, 99, 600, 200.5])(
    'refuse %s as the status of an answer, also with not',
    (status) => {
      for (const check of [
        () => {
          expect(sandbox).not.toHaveReceived(COLLECT, { status } as object);
        },
        () => {
          expect(sandbox).not.toHaveDelivered('payment.success', { status } as object);
        },
      ])
        expect(check).toThrow(
          / takes an HTTP status, or null without an answer, as `status`: write { status: 200 }\.$/,
        );
    },
  );

  it('take a matcher as the status of an answer', async () => {
    await sandbox.clock.advance('5s');
    const status = expect.any(Number) as number;
    expect(sandbox).toHaveReceived(COLLECT, { status });
    expect(sandbox).toHaveDelivered('payment.success', { status });
  });

  it('refuse as a body what has no fields to check', () => {
    const matchers: readonly unknown[] = [expect.objectContaining({ amuont: 5 }), expect.anything()];
    for (const body of [null, [], 'amount', ...matchers]) {
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body } as object);
      }).toThrow('takes the fields of a body, each of which may be a matcher: write { body: { amount:');
    }
  });

  it('know each field of the specification, and look into metadata', async () => {
    const metadata = { shop: { till: 3 }, note: 'first' };
    await callerOf(sandbox).collect({ reference: 'order-4', metadata });
    await callerOf(sandbox).payToPhone({ metadata });
    const lookup = { channel: 'BANK', account_number: '0123456789', bank_code: 'BSB' };
    await callerOf(sandbox).post('/disbursements/name-lookup', lookup);
    expect(sandbox).toHaveReceived(COLLECT, { body: { ...COLLECTION, reference: 'order-4', metadata } });
    expect(sandbox).toHaveReceived('POST /disbursements/bank', { body: BANK_PAYOUT });
    expect(sandbox).toHaveReceived('POST /disbursements/mobile-money', {
      body: { ...MOBILE_PAYOUT, metadata: expect.objectContaining({ note: 'first' }) as object },
    });
    expect(sandbox).toHaveReceived('POST /disbursements/name-lookup', { body: lookup });
    expect(sandbox).not.toHaveReceived('POST /payments/partnerpesa', { body: COLLECTION });
    expect(sandbox).not.toHaveReceived(COLLECT, { body: { reference: 'order-4', metadata: { note: 'x' } } });
    expect(sandbox).not.toHaveReceived('GET /merchant-balance', { body: {} });
  });

  describe('after the emulator dropped calls to limit memory', () => {
    const DROPPED =
      /cannot count the calls of POST \/payments\/mobile-money.*newest 4 MiB of calls and has dropped \d+ of these/;

    beforeEach(async () => {
      const gateway = callerOf(sandbox);
      const metadata = { text: 'x'.repeat(30_000) };
      for (let call = 0; call < 90; call += 1) await gateway.collect({ reference: `bulk-${call}`, metadata });
      expect(sandbox.requests().length).toBeLessThan(90);
    });

    it('refuse to count what they did not see', () => {
      const body = { reference: 'order-1' };
      expect(() => {
        expect(sandbox).toHaveReceived(COLLECT, { times: 90 });
      }).toThrow(DROPPED);
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body });
      }).toThrow(DROPPED);
      expect(() => {
        expect(sandbox.merchant('demo')).toHaveReceived(COLLECT, { times: 0, body });
      }).toThrow(DROPPED);
    });

    it('say what is certain anyway', () => {
      expect(sandbox).toHaveReceived(COLLECT);
      expect(sandbox).not.toHaveReceived(COLLECT, { times: 2 });
      expect(sandbox).not.toHaveReceived('GET /merchant-balance');
      expect(sandbox.merchant('another')).not.toHaveReceived(COLLECT);
    });

    it('count again after a reset', async () => {
      await sandbox.merchant('demo').reset();
      expect(sandbox).not.toHaveReceived(COLLECT);
      await callerOf(sandbox).collect();
      expect(sandbox).toHaveReceived(COLLECT, { times: 1 });
    });
  });

  describe('after a call whose body the emulator cut', () => {
    const CUT =
      /cannot compare the body of 1 calls of POST \/payments\/mobile-money.*only the beginning of a body of more than 64 KiB/;
    const body = { amount: 15_000 };

    beforeEach(async () => {
      await callerOf(sandbox).collect({ reference: 'large-1', metadata: { text: 'x'.repeat(70_000) } });
      expect(sandbox).toHaveCollection('large-1');
    });

    it('refuse to count what they cannot compare', () => {
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, {
          body: { reference: 'large-1', phone: '255700000001' },
        });
      }).toThrow(CUT);
      expect(() => {
        expect(sandbox).toHaveReceived(COLLECT, { times: 1, body });
      }).toThrow(CUT);
      expect(() => {
        expect(sandbox.merchant('demo')).toHaveReceived(COLLECT, {
          times: 0,
          body: { metadata: expect.any(Object) as object },
        });
      }).toThrow(CUT);
    });

    it('count it if they look at its reference and its answer alone', () => {
      expect(sandbox).toHaveReceived(COLLECT, { times: 3 });
      expect(sandbox).toHaveReceived(COLLECT, { times: 3, status: 200 });
      expect(sandbox).toHaveReceived(COLLECT, { times: 1, body: { reference: 'large-1' } });
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body: { reference: 'large-1' }, status: 200 });
      }).toThrow('Found: 1 of 3 requests');
    });

    it('say what is certain anyway', () => {
      expect(sandbox).toHaveReceived(COLLECT, { body });
      expect(sandbox).not.toHaveReceived(COLLECT, { times: 0, body });
      expect(sandbox).not.toHaveReceived(COLLECT, { body: { ...body, reference: 'order-3' } });
      expect(sandbox).not.toHaveReceived(COLLECT, { body: { phone: '255700000001' }, status: 500 });
      expect(sandbox).not.toHaveReceived('POST /disbursements/bank', { body: { amount: 1 } });
      const message = messageOf(() => {
        expect(sandbox).toHaveReceived(COLLECT, { body: { ...body, reference: 'large-1' }, status: 500 });
      });
      expect(message).toContain('status of the answer: expected number 500, found number 200');
      expect(message).not.toContain('amount: expected');
    });

    it('know no reference that was cut itself', async () => {
      await sandbox.reset();
      await callerOf(sandbox).collect({ reference: 'y'.repeat(70_000) });
      expect(() => {
        expect(sandbox).not.toHaveReceived(COLLECT, { body: { reference: 'y'.repeat(70_000) } });
      }).toThrow(CUT);
    });
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
