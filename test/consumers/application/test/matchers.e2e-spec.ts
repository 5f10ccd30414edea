import { PaymentsSandbox, sandboxMatchers } from 'nestjs-payments/sandbox';

expect.extend(sandboxMatchers);

describe("the sandbox's matchers", () => {
  let sandbox: PaymentsSandbox;

  beforeAll(async () => {
    sandbox = await PaymentsSandbox.start({ clock: 'manual' });
    await fetch(`${sandbox.baseUrl}/payments/mobile-money`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer pk_test_demo',
        'content-type': 'application/json',
        'idempotency-key': 'key-1',
      },
      body: JSON.stringify({
        reference: 'order-1',
        amount: 1180.5,
        currency: 'TZS',
        phone: '255712345678',
        customer_name: 'Asha Mushi',
        customer_email: 'asha@example.com',
      }),
    });
  });

  afterAll(() => sandbox.stop());

  it('pass if the payment is as expected', () => {
    expect(sandbox).toHaveCollection('order-1', { amount: '1180.50', status: expect.any(String) });
    expect(sandbox).not.toHavePaidOnce('order-1');
  });

  it('print the story when they fail', () => {
    expect(() => {
      expect(sandbox).toHavePaidOnce('order-1');
    }).toThrow('key key-1 -> 200 PAYMENT_INITIATED');
  });
});
