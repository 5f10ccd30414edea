import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CollectionsService, PaymentOutcomeUnknownError, PaymentsJournal } from 'nestjs-payments';
import { type NextCall, type PlannedFault } from 'nestjs-payments/sandbox';
import { Bakery, PHONE } from '../support/bakery.js';
import '../support/matchers.js';

const COLLECT = 'POST /payments/mobile-money';

describe('a gateway', () => {
  let bakery: Bakery;

  beforeEach(async () => {
    bakery = await Bakery.open();
  });
  afterEach(() => bakery.close());

  it.each<[string, (call: NextCall) => PlannedFault]>([
    ['a gateway that answers nothing', (call) => call.dropAfterProcessing()],
    ['a gateway that resets the connection', (call) => call.reset()],
    ['a gateway whose answer is cut off', (call) => call.partialBody()],
    ['a gateway whose answer is no JSON', (call) => call.malformedJson()],
    ['a gateway behind a proxy that gives up', (call) => call.html(502, { afterProcessing: true })],
  ])('%s leaves the order open, and the webhook says that it is paid', async (_name, fault) => {
    fault(bakery.gateway.next(COLLECT));
    const order = await bakery.ordered();
    expect(order.status).toBe('awaiting-outcome');
    await bakery.gateway.customer(PHONE).approve(order.reference);
    expect(await bakery.statusOf(order)).toBe('paid');
    expect(bakery.gateway).toHavePaidOnce(order.reference);
    expect(bakery.baked).toEqual([order.reference]);
  });

  it('a gateway that answers nothing causes an error of its own, and the journal keeps the payment open until the webhook', async () => {
    bakery.gateway.next(COLLECT).dropAfterProcessing();
    const payment = {
      reference: 'cake-1',
      amount: '18000.00',
      phone: PHONE,
      customer_name: 'Asha Mrema',
      customer_email: 'asha@example.com',
    };
    const error: unknown = await bakery.app
      .get(CollectionsService, { strict: false })
      .mobileMoney(payment)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ mayHaveBeenProcessed: true, retryable: false });
    const journal = bakery.app.get(PaymentsJournal, { strict: false });
    expect(await journal.get('collection', 'cake-1')).toMatchObject({ state: 'unknown' });
  });

  it('a gateway whose answer was lost is not asked twice if the buyer sends the order again', async () => {
    bakery.gateway.next(COLLECT).dropAfterProcessing();
    const checkout = randomUUID();
    const order = await bakery.ordered({ checkout });
    expect(await bakery.ordered({ checkout })).toEqual(order);
    expect(bakery.gateway.payments()).toHaveLength(1);
  });

  it('a gateway gets nothing more if the buyer sends an order again with another phone', async () => {
    const checkout = randomUUID();
    await bakery.order({ checkout });
    expect((await bakery.order({ checkout, phone: '0754 000 111' })).status).toBe(409);
    expect(bakery.gateway).toHaveReceived(COLLECT, { times: 1 });
  });

  it('a gateway that turned an order away gets it under the same reference if the buyer sends it again', async () => {
    bakery.gateway.next(COLLECT).status(401);
    const checkout = randomUUID();
    expect((await bakery.order({ checkout })).status).toBe(502);
    const order = await bakery.ordered({ checkout });
    expect(order).toMatchObject({ reference: `cake-${checkout}`, status: 'awaiting-customer' });
    expect(bakery.gateway).toHaveReceived(COLLECT, { times: 2, body: { reference: order.reference } });
  });

  it('a gateway that loses the request gets it again with the same key', async () => {
    bakery.gateway.next(COLLECT).dropBefore();
    const order = await bakery.ordered();
    expect(order.status).toBe('awaiting-customer');
    expect(bakery.gateway).toHaveReceived(COLLECT, { times: 2, body: { reference: order.reference } });
    const keys = bakery.gateway.requests().map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('a gateway that is busy for a moment is asked again', async () => {
    bakery.gateway.next(COLLECT).status(429, { retryAfter: 0 }).times(2);
    const order = await bakery.ordered();
    expect(order.status).toBe('awaiting-customer');
    expect(bakery.gateway).toHaveReceived(COLLECT, { times: 2, status: 429 });
    expect(bakery.gateway).toHaveReceived(COLLECT, { times: 1, status: 200 });
  });

  it('a buyer is asked to come back at a given time if the gateway is busy for long', async () => {
    bakery.gateway.next(COLLECT).status(429, { retryAfter: 60 });
    const { status, headers, body } = await bakery.order();
    expect({ status, after: headers['retry-after'] }).toEqual({ status: 503, after: '60' });
    expect(body).toMatchObject({ mayHaveBeenProcessed: false });
    expect(bakery.gateway.payments()).toEqual([]);
  });

  it('an order is closed if the gateway refuses its payment', async () => {
    bakery.gateway.next(COLLECT).status(422, { code: 'INVALID_PHONE' });
    const { status, body } = await bakery.order();
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'INVALID_PHONE', mayHaveBeenProcessed: false },
    });
    expect(await bakery.statusOf(body as { reference: string })).toBe('refused');
  });

  it('the gateway receives nothing for an invalid order', async () => {
    const { status, body } = await bakery.order({ phone: '712 345 678' });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { message: ['write a Tanzanian mobile number such as 0712 345 678'] },
    });
    expect(bakery.gateway).not.toHaveReceived(COLLECT);
  });
});
