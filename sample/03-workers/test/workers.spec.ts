import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { paymentEvent } from 'nestjs-payments/testing';
import { type ChildPrograms } from '../../../test/support/child-program.js';
import { describeWith, redisService } from '../../../test/support/services.js';
import { buildPrograms, PHONE, TicketOffice } from './ticket-office.js';

// Processes start and end; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ENDS = [
  ['decline', 'failed'],
  ['cancel', 'cancelled'],
  ['expire', 'expired'],
] as const;

describeWith([redisService], 'a ticket office in processes of its own', () => {
  let programs: ChildPrograms | undefined;
  let office: TicketOffice;

  beforeAll(async () => {
    programs = await buildPrograms();
    office = await TicketOffice.open(programs);
  });
  // Jest comes here also if nothing could be opened.
  afterAll(async () => {
    if (!programs) return;
    try {
      await (office as TicketOffice | undefined)?.close();
    } finally {
      await programs.remove();
    }
  });
  beforeEach(() => office.begin());
  afterEach(() => (programs ? office.finish() : undefined));

  it('the web process answers the gateway once the webhook is stored, and a worker then pays the order', async () => {
    const order = await office.paidOrder();
    expect(order).toMatchObject({ status: 'awaiting-customer', amount: '50000.00' });
    expect(office.gateway.deliveries()).toMatchObject([{ state: 'delivered', status: 200 }]);
    expect(await office.statusOf(order)).toBe('awaiting-customer');
    const done = office.next('completed');
    const worker = await office.startWorker();
    await done;
    expect(await office.statusOf(order)).toBe('paid');
    await worker.until('Open payments are looked after');
    expect(worker.log).not.toContain('ERROR');
    expect([...office.mails.sent.keys()]).toEqual([`receipt-${order.reference}`]);
  });

  it('a worker sends one receipt for a webhook that is delivered twice', async () => {
    await office.startWorker();
    const done = office.next('completed');
    const order = await office.order({ phone: '255700000007' });
    await office.gateway.clock.advance('2s');
    await done;
    expect(office.gateway.deliveries().flatMap(({ attempts }) => attempts)).toHaveLength(2);
    const next = office.next('completed');
    await office.paidOrder();
    await next;
    expect(office.calls.filter(({ key }) => key.endsWith(order.reference))).toHaveLength(1);
  });

  it('a worker brings an order of which another amount was paid, or that is paid after a failure, to a person', async () => {
    await office.startWorker();
    const handled = async (webhook: Promise<unknown>): Promise<void> => {
      const done = office.next('completed');
      await webhook;
      await done;
    };
    const { reference } = await office.order();
    await handled(office.deliver(paymentEvent('payment.success', { reference, amount: '1.00' })));
    expect(await office.statusOf({ reference })).toBe('in-review');
    const failed = await office.order();
    await handled(office.gateway.customer(PHONE).decline(failed.reference));
    await handled(office.deliver(paymentEvent('payment.success', failed)));
    expect(await office.statusOf(failed)).toBe('in-review');
    expect(office.calls).toEqual([]);
  });

  it('a worker writes no receipt for an order that is not paid', async () => {
    await office.startWorker();
    const customer = office.gateway.customer(PHONE);
    for (const [what, status] of ENDS) {
      const order = await office.order();
      const done = office.next('completed');
      await customer[what](order.reference);
      await done;
      expect(await office.statusOf(order)).toBe(status);
    }
    expect(office.calls).toEqual([]);
  });

  it('two workers share the work and do nothing twice', async () => {
    const release = office.holdAnswers();
    const workers = await Promise.all([1, 2].map(() => office.startWorker({ WORKER_CONCURRENCY: '1' })));
    const done = office.next('completed', 4);
    const orders = await Promise.all([1, 2, 3, 4].map(() => office.paidOrder()));
    // Each takes one at a time, so two receipts under way are two workers.
    await Promise.all(workers.map((worker) => worker.until('attempt 1 to send the receipt')));
    release();
    await done;
    expect(office.calls.map(({ key }) => key).sort()).toEqual(
      orders.map(({ reference }) => `receipt-${reference}`).sort(),
    );
  });

  it('another worker takes over from one that is killed after its effect, and the receipt is mailed once', async () => {
    const soon = { TAKE_OVER_AFTER_MS: '2000' };
    const release = office.holdAnswers();
    const killed = await office.startWorker(soon);
    const order = await office.paidOrder();
    await office.called(1);
    // The handler before it has finished, and is not repeated.
    await killed.until(`${order.reference} is paid`);
    expect(await killed.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    release();
    const done = office.next('completed');
    const heir = await office.startWorker(soon);
    await done;
    await heir.until(`${order.reference}: the receipt is sent`);
    expect(heir.log).toContain(`${order.reference}: attempt 2 to send the receipt`);
    expect(office.calls.map(({ repeated }) => repeated)).toEqual([false, true]);
    expect(office.mails.sent.size).toBe(1);
    expect(heir.log).not.toContain(`${order.reference} is paid`);
    expect(await office.counts()).toMatchObject({ completed: 1, failed: 0, waiting: 0, active: 0 });
  });

  it('a worker that stops finishes its running receipt and leaves the rest', async () => {
    const release = office.holdAnswers();
    const worker = await office.startWorker();
    const first = await office.paidOrder();
    await office.called(1);
    const ended = worker.end('SIGTERM');
    await worker.until('Finishing what is under way');
    const second = await office.paidOrder();
    release();
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    await worker.until(`${first.reference}: the receipt is sent`);
    expect(office.calls).toHaveLength(1);
    const done = office.next('completed');
    await office.startWorker();
    await done;
    expect([...office.mails.sent.keys()]).toEqual(
      [first, second].map((order) => `receipt-${order.reference}`),
    );
  });

  it('the web process answers a waiting buyer before it stops, and receives the outcome after a restart', async () => {
    office.gateway.next('POST /payments/mobile-money').delay('1s');
    const asked = new Promise((resolve) => office.gateway.on('payment', resolve));
    const answer = office.order();
    await asked;
    const ended = office.web.end('SIGTERM');
    await office.web.until('Finishing what is under way');
    await office.gateway.clock.advance('1s');
    const order = await answer;
    expect(order.status).toBe('awaiting-customer');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    await office.startWeb();
    await office.startWorker();
    const done = office.next('completed');
    await office.gateway.customer(PHONE).approve(order.reference);
    await done;
    expect(await office.statusOf(order)).toBe('paid');
  });

  it('an order stays open if the answer of the gateway is lost, and the webhook decides it', async () => {
    office.gateway.next('POST /payments/mobile-money').dropAfterProcessing();
    const order = await office.order();
    expect(order.status).toBe('awaiting-outcome');
    await office.startWorker();
    const done = office.next('completed');
    await office.gateway.customer(PHONE).approve(order.reference);
    await done;
    expect(await office.statusOf(order)).toBe('paid');
  });

  it('an order that the buyer sends again, while it is open or after its end, is one order and one request', async () => {
    const checkout = randomUUID();
    const [order] = await Promise.all([office.order({ checkout }), office.order({ checkout })]);
    expect(await office.order({ checkout })).toEqual(order);
    await office.startWorker();
    const done = office.next('completed');
    await office.gateway.customer(PHONE).approve(order.reference);
    await done;
    expect(await office.order({ checkout })).toEqual({ ...order, status: 'paid' });
    expect(office.gateway.requests()).toHaveLength(1);
  });

  it.each([{ seats: 3 }, { phone: '0754 000 111' }, { name: 'Neema Mushi' }, { email: 'neema@example.com' }])(
    'an order that the buyer sends again with %o is refused, and stays as it was',
    async (change) => {
      const checkout = randomUUID();
      const order = await office.order({ checkout });
      expect(await office.order({ checkout, ...change })).toMatchObject({ statusCode: 409 });
      expect(await office.order({ checkout, phone: '+255 712 345 678' })).toEqual(order);
      expect(office.gateway.requests()).toHaveLength(1);
    },
  );

  it('an order whose answer was lost, or that was turned away, is asked for under its own reference if the buyer sends it again', async () => {
    const checkout = randomUUID();
    const reference = `ticket-${checkout}`;
    office.gateway.next('POST /payments/mobile-money').status(401);
    await office.order({ checkout });
    expect(await office.statusOf({ reference })).toBe('awaiting-outcome');
    office.gateway.next('POST /payments/mobile-money').dropAfterProcessing();
    for (let press = 0; press < 2; press += 1)
      expect(await office.order({ checkout })).toMatchObject({ reference, status: 'awaiting-outcome' });
    expect(office.gateway.payments()).toMatchObject([{ reference }]);
  });

  it('an order without a name is not stored, so the buyer may send it again with one', async () => {
    const checkout = randomUUID();
    expect(await office.order({ checkout, name: ' ' })).toMatchObject({ statusCode: 400 });
    expect(await office.order({ checkout })).toMatchObject({ status: 'awaiting-customer' });
  });

  it('the web process shows nobody the address of a buyer', async () => {
    const order = await office.order();
    expect(Object.keys(order)).toEqual(['reference', 'seats', 'amount', 'status']);
    expect(Object.keys(await office.view(order))).toEqual(Object.keys(order));
  });

  it('an order is refused only if the refusal proves that no money moved', async () => {
    office.gateway.next('POST /payments/mobile-money').status(422);
    const { reference } = await office.order();
    expect(await office.statusOf({ reference })).toBe('awaiting-outcome');
    office.gateway.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
    expect(await office.statusOf(await office.order())).toBe('refused');
  });

  it('a worker tries a receipt again after growing waits, gives it up, and sends it after the office releases it', async () => {
    office.mails.open = false;
    await office.startWorker();
    const waits: (number | undefined)[] = [];
    const failed = office.next('failed');
    let delayed = office.next('delayed');
    const order = await office.paidOrder();
    for (let failure = 1; failure < 5; failure += 1) {
      const [job] = await delayed;
      const { delay } = job!;
      // Once the wait is over, the job no longer says how long it was.
      waits.push((await job!.isDelayed()) ? delay : undefined);
      delayed = office.next('delayed');
      // Instead of the wait. If it is over already, the worker has the job.
      await job!.promote().catch(() => undefined);
    }
    const [job] = await failed;
    // The last is the longest.
    expect(waits.at(-1)).toBeDefined();
    for (const [index, wait] of waits.entries()) {
      if (wait === undefined) continue;
      expect(wait).toBeGreaterThanOrEqual(2_500 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(5_000 * 2 ** index);
    }
    expect(office.calls).toHaveLength(5);
    expect(await office.statusOf(order)).toBe('paid');
    const id = job!.id!;
    expect((await office.command('failed')).said).toContain(
      `${id}  payment.success for ${order.reference}, 5 attempts.`,
    );

    office.mails.open = true;
    const done = office.next('completed');
    expect(await office.command('retry', id)).toEqual({ code: 0, said: `${id} released.\n` });
    await done;
    expect([...office.mails.sent.keys()]).toEqual([`receipt-${order.reference}`]);
    expect(await office.command('failed')).toEqual({ code: 0, said: 'Nothing was given up.\n' });
  });

  it('the command of the office says how to use it and what it did', async () => {
    expect(await office.command('mend')).toMatchObject({
      code: 2,
      said: expect.stringContaining('Usage: npm run office -- failed') as unknown,
    });
    expect(await office.command('retry', 'wh-unknown')).toEqual({
      code: 1,
      said: 'No webhook with this id is among the failed ones.\n',
    });
    expect(await office.command('retry-all')).toEqual({ code: 0, said: '0 released.\n' });
  });
});
