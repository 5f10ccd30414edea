import { createHmac } from 'node:crypto';
import { INestApplication, ValidationPipe } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type PaymentEventName, PaymentsInbox } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent } from 'nestjs-payments/testing';
import request from 'supertest';
import { App } from 'supertest/types';
import { AppModule } from './../src/app.module';
import type { FeeView } from './../src/fees/fee';

const phone = '255712345678';
const fee = {
  pupil: 'S1042',
  term: '2026-1',
  phone: '0712 345 678',
  parent: 'Asha Mushi',
  email: 'asha@example.com',
};

describe('School fees (e2e)', () => {
  let sandbox: PaymentsSandbox;
  let app: INestApplication<App>;

  const http = () => request(app.getHttpServer());
  const pay = async (status: number, fields: object = {}): Promise<FeeView> => {
    const answer = await http()
      .post('/fees')
      .send({ ...fee, ...fields })
      .expect(status);
    return answer.body as FeeView;
  };
  const stateOf = async (reference: string): Promise<string> => {
    const answer = await http().get(`/fees/${reference}`).expect(200);
    return (answer.body as FeeView).state;
  };

  beforeEach(async () => {
    sandbox = await PaymentsSandbox.start();
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: baseUrl,
      PAYMENTS_API_KEY: apiKey,
      PAYMENTS_API_SECRET: apiSecret,
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    });
    await start();
  });

  async function start(): Promise<void> {
    const moduleFixture = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();
    app = moduleFixture.createNestApplication();
    app.useGlobalPipes(
      new ValidationPipe({ transform: true, whitelist: true }),
    );
    await app.listen(0, '127.0.0.1');
    sandbox.deliverTo(`${await app.getUrl()}/webhooks/payments`);
  }

  /** Delivers an outcome that the gateway signed. */
  async function deliver(
    event: PaymentEventName,
    reference: string,
    amount = '150000.00',
  ): Promise<void> {
    const body = JSON.stringify(paymentEvent(event, { reference, amount }));
    const signature = createHmac('sha256', sandbox.webhookSecret)
      .update(body)
      .digest('hex');
    await http()
      .post('/webhooks/payments')
      .set({
        'content-type': 'application/json',
        'x-webhook-signature': signature,
      })
      .send(body)
      .expect(200);
  }

  afterEach(async () => {
    await app?.close();
    await sandbox?.stop();
  });

  it('a fee waits for the parent, and is paid once the phone said yes', async () => {
    const { reference, state } = await pay(202);
    expect(state).toBe('waiting');
    await sandbox.customer(phone).approve(reference);
    expect(await stateOf(reference)).toBe('paid');
  });

  it('a fee that the parent declines is not paid', async () => {
    const { reference } = await pay(202);
    await sandbox.customer(phone).decline(reference);
    expect(await stateOf(reference)).toBe('not paid');
  });

  it('a paid fee stays so if a person releases a failure, and nobody is asked again', async () => {
    const { reference } = await pay(202);
    await sandbox.customer(phone).approve(reference);
    await deliver('payment.failed', reference);
    const inbox = app.get(PaymentsInbox, { strict: false });
    const [late] = await inbox.conflicts();
    await inbox.release(late.id);
    expect(await pay(202)).toMatchObject({ reference, state: 'paid' });
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('a fee of which another amount was paid, or that is paid after a failure, is in review', async () => {
    const { reference } = await pay(202);
    await deliver('payment.success', reference, '1.00');
    expect(await stateOf(reference)).toBe('in review');
    const other = await pay(202, { pupil: 'S1043' });
    await sandbox.customer(phone).decline(other.reference);
    await deliver('payment.cancelled', other.reference);
    expect(await stateOf(other.reference)).toBe('not paid');
    await deliver('payment.success', other.reference);
    expect(await stateOf(other.reference)).toBe('in review');
  });

  it('an unreadable answer is no failure: the fee waits, and the webhook pays it', async () => {
    sandbox.next('POST /payments/mobile-money').malformedJson();
    const { reference, state } = await pay(202);
    expect(state).toBe('waiting');
    expect(sandbox.payments()).toHaveLength(1);
    await sandbox.customer(phone).approve(reference);
    expect(await stateOf(reference)).toBe('paid');
  });

  it('a fee that is asked for again while it waits is one payment, also if the answer is lost', async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const first = await pay(202);
    expect(await pay(202)).toEqual(first);
    await pay(409, { phone: '0754 000 111' });
    expect(sandbox.payments()).toHaveLength(1);
    await sandbox.customer(phone).approve(first.reference);
    expect((await pay(202)).state).toBe('paid');
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('a fee that the gateway turned away is asked for again under its reference', async () => {
    sandbox.next('POST /payments/mobile-money').status(401);
    await pay(502);
    const { reference } = await pay(202);
    expect(sandbox.payments()).toMatchObject([{ reference }]);
    expect(reference).toMatch(/^fee-2026-1-S1042-[0-9a-f-]{36}$/);
  });

  it('a fee that was not paid before a restart gets a reference that the gateway has never heard', async () => {
    const { reference } = await pay(202);
    await sandbox.customer(phone).decline(reference);
    await app.close();
    await start();
    const again = await pay(202);
    expect(again.reference).not.toBe(reference);
    await sandbox.customer(phone).approve(again.reference);
    expect(await stateOf(again.reference)).toBe('paid');
  });

  it('nobody is told whose fee it is', async () => {
    const { reference } = await pay(202);
    const answer = await http().get(`/fees/${reference}`).expect(200);
    expect(Object.keys(answer.body as object)).toEqual([
      'reference',
      'amount',
      'state',
    ]);
  });

  it('a wrong phone number is answered 400, and nothing is asked for', async () => {
    await pay(400, { phone: '712345678' });
    expect(sandbox.payments()).toEqual([]);
  });

  it('an unsigned webhook is answered 401, and pays nothing', async () => {
    const { reference } = await pay(202);
    await http()
      .post('/webhooks/payments')
      .send(paymentEvent('payment.success', { reference }))
      .expect(401);
    expect(await stateOf(reference)).toBe('waiting');
  });
});
