import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { type INestApplication, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CollectionsService,
  DisbursementsService,
  hmac,
  isPaymentsError,
  type PaymentsError,
  NameLookupService,
  OnPayment,
  PaymentsInbox,
  PaymentsJournal,
  PaymentsModule,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, PaymentsTestingModule, postWebhook } from 'nestjs-payments/testing';
import { parse } from 'yaml';
import { codeOf, importBlock, runCode, SECTIONS, SKILL } from '../../support/skill.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const PHONE = '255712345678';
const PAYMENT = {
  reference: 'order-1',
  amount: '1180.50',
  phone: PHONE,
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
};
const PAYOUT = {
  reference: 'invoice-1',
  amount: '25000',
  bank_code: 'BSB',
  account_number: '0150234560406',
  account_name: 'Somebody Else',
  remarks: 'Invoice 1',
};
const NEW_REFERENCE = 'Never pay again under a new reference';
const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });

@Injectable()
class Orders {
  readonly paid: string[] = [];
  write = (reference: string): void => void this.paid.push(reference);

  @OnPayment('payment.success')
  markPaid({ data }: PaymentWebhookEvent): void {
    this.write(data.reference);
  }
}

const fail = (): never => {
  throw new Error('The database is away.');
};

const folder = join(import.meta.dirname, `.skill-${process.pid}`);
const { referenceOf } = await importBlock('src/orders.service.ts', folder);
let app: INestApplication;
let sandbox: PaymentsSandbox;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  const testing = await Test.createTestingModule({
    imports: [PaymentsTestingModule.forRoot({ sandbox: { webhookScheme: scheme } })],
    controllers: [WebhooksController],
    providers: [Orders],
  }).compile();
  app = testing.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  sandbox = app.get(PaymentsSandbox);
});

afterEach(() => app.close());

const collect = (change: object = {}) =>
  app.get(CollectionsService, { strict: false }).mobileMoney({ ...PAYMENT, ...change });
const paid = () => app.get(Orders).paid;
const sent = () => sandbox.payments().map(({ reference }) => reference);

/** The error of the package with which this rejects. */
async function refusal(call: Promise<unknown>): Promise<PaymentsError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isPaymentsError(error)) throw new Error('Nothing refused it.', { cause: error });
  return error;
}

/** The sentences of each "never" that rule, word by word. */
const RULINGS: Readonly<Record<string, readonly string[]>> = {
  [NEW_REFERENCE]: [
    'Call again with the same reference:',
    'Only a payment that ended without success is followed by a next one.',
  ],
  'Never make a reference at the call': [
    'No `randomUUID()`, no `Date.now()` in `reference`: a second click would pay again.',
    'Use the id of a row that is there before the call:',
  ],
  'Never call an unknown outcome failed': [
    'Otherwise keep the order open until the webhook.',
    'of all errors, only a `PaymentRejectedError` whose `final` is true says that no money moved.',
  ],
  'Never mark as paid without the webhook': [
    'Not when the call resolves (its `status` is `pending`), not when the browser returns, not on an SMS.',
    "Only an `@OnPayment` method, or the journal's outcome `success` (step 6), sets `paid`.",
  ],
  'Never loosen the signature check': [
    'No route of your own that parses the body, no `customScheme` whose `verify` says yes, no secret in the code.',
    'Keep `@PaymentsWebhook` and a real `scheme`.',
  ],
  'Never swallow an error in a handler': ['Let it throw: the gateway gets 500 and delivers again.'],
  'Never pay out without a name lookup': ['Look up, compare, then pay, as step 5 does.'],
  'Never calculate money in floating point': ['Amounts are strings with at most two decimals:'],
  'Never take the amount from the browser': ['Read it from your own row.'],
  'Never log phone numbers, names or keys': [
    'Log `reference`, `error.code` and `error.message`.',
    'the request and the event do.',
  ],
  'Never call settle without evidence': [
    "Only a person calls it, after the gateway's portal or support said so; no timer, no catch block.",
  ],
};

/** Shows each "never": runs its code, and gives the names that the section has to have for what the package does then. */
const SHOWN: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  [NEW_REFERENCE]: async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const { name } = await refusal(collect());
    const collections = app.get(CollectionsService, { strict: false });
    const scope = { collections, payment: PAYMENT, order: { id: 'order-1', paymentNumber: 1 }, referenceOf };
    await refusal(runCode(NEW_REFERENCE, 'collections.', scope) as Promise<unknown>);
    expect(sent()).toEqual(['order-1']);
    await collect({ reference: 'order-1-again' });
    expect(sent()).toHaveLength(2); // the customer is asked for the money twice
    return [name];
  },

  'Never make a reference at the call': async () => {
    const heading = 'Never make a reference at the call';
    const right = () => runCode(heading, '{ reference', { invoice: { id: 'order-1' } }) as object;
    await Promise.all([collect(right()), collect(right())]);
    expect(sent()).toEqual(['order-1']);
    let ticks = 1_000;
    for (const wrong of ['randomUUID(', 'Date.now(']) {
      const reference = () =>
        `order-${String(runCode(heading, wrong, { randomUUID, Date: { now: () => (ticks += 1) } }))}`;
      const before = sent().length;
      await Promise.all([collect({ reference: reference() }), collect({ reference: reference() })]);
      expect(sent()).toHaveLength(before + 2); // the second click pays again
    }
    return [(await refusal(collect({ amount: '2.00' }))).name];
  },

  'Never call an unknown outcome failed': async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const unknown = await refusal(collect());
    const refused = await refusal(collect({ reference: 'order-2', amount: '0' }));
    const ask = (error: unknown) => runCode('Never call an unknown outcome failed', 'if (', { error });
    expect(() => ask(unknown)).not.toThrow();
    expect(() => ask(refused)).toThrow();
    await sandbox.customer(PHONE).approve('order-1');
    expect(paid()).toEqual(['order-1']);
    return [unknown.name];
  },

  'Never mark as paid without the webhook': async () => {
    const { status } = await collect();
    await sandbox.customer(PHONE).decline('order-1');
    expect(paid()).toEqual([]);
    return [status];
  },

  'Never loosen the signature check': async () => {
    await collect();
    const event = paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' });
    const forged = { scheme, secret: 'a secret that somebody guessed' };
    const { status } = await postWebhook(app, '/webhooks/payments', event, forged);
    expect(paid()).toEqual([]);
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    const unsigned = { baseUrl, apiKey, apiSecret, webhooks: {} } as never;
    const boot = async () =>
      Test.createTestingModule({ imports: [PaymentsModule.forRoot(unsigned)] }).compile();
    return [`${status}`, (await refusal(boot())).name];
  },

  'Never swallow an error in a handler': async () => {
    const orders = app.get(Orders);
    const { write } = orders;
    const firstStatusOf = (reference: string) =>
      sandbox.deliveries().find((delivery) => delivery.reference === reference)?.attempts[0]?.status;
    await collect();
    orders.write = fail;
    await sandbox.customer(PHONE).approve('order-1');
    orders.write = write;
    await sandbox.clock.advance('10m');
    expect(paid()).toEqual(['order-1']);
    await collect({ reference: 'order-2' });
    orders.write = () => runCode('Never swallow an error in a handler', 'try {', { write: fail });
    await sandbox.customer(PHONE).approve('order-2');
    orders.write = write;
    await sandbox.clock.advance('1d');
    expect(paid()).toEqual(['order-1']); // order-2 is lost
    return [`${firstStatusOf('order-1')}`, `${firstStatusOf('order-2')}`];
  },

  'Never pay out without a name lookup': async () => {
    const names = app.get(NameLookupService, { strict: false });
    const { bank_code, account_number } = PAYOUT;
    const holder = await names.lookup({ channel: 'BANK', bank_code, account_number });
    expect(holder.account_name).not.toBe(PAYOUT.account_name);
    const { name, code } = await refusal(app.get(DisbursementsService, { strict: false }).bank(PAYOUT));
    return [name, code];
  },

  'Never calculate money in floating point': async () => {
    const heading = 'Never calculate money in floating point';
    const { name } = await refusal(collect({ amount: runCode(heading, '0.1', {}) }));
    expect(sent()).toEqual([]);
    await collect(runCode(heading, '{ amount', {}) as object);
    expect(sent()).toEqual(['order-1']);
    return [name];
  },

  'Never take the amount from the browser': async () => {
    await collect();
    const event = paymentEvent('payment.success', { reference: 'order-1', amount: '1.00' });
    await postWebhook(app, '/webhooks/payments', event, { scheme, secret: sandbox.webhookSecret });
    expect(paid()).toEqual([]);
    const inbox = app.get(PaymentsInbox, { strict: false });
    const conflicts = runCode('Never take the amount from the browser', 'inbox.', { inbox });
    return (await (conflicts as ReturnType<PaymentsInbox['conflicts']>)).map(({ kind }) => kind);
  },

  'Never log phone numbers, names or keys': async () => {
    const error = await refusal(collect({ phone: '0754 987 321', customer_name: '' }));
    const heading = 'Never log phone numbers, names or keys';
    const logged = ['error.code', 'error.message'].map((code) => runCode(heading, code, { error }));
    expect(logged).toEqual([expect.any(String), expect.any(String)]);
    expect(`${logged.join(' ')} ${JSON.stringify(error)}`).not.toMatch(/0754|987 321|asha|sk_test|pk_test/i);
    return [error.name];
  },

  'Never call settle without evidence': async () => {
    const journal = app.get(PaymentsJournal, { strict: false });
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await refusal(collect());
    const settle = () =>
      runCode('Never call settle without evidence', 'journal.', { journal, reference: 'order-1' });
    await settle();
    await sandbox.customer(PHONE).approve('order-1');
    expect(paid()).toEqual(['order-1']); // the customer had paid
    return [(await refusal(settle() as Promise<unknown>)).code];
  },
};

it('every never of the skill is shown by a test and rules', () => {
  expect([...SECTIONS.keys()]).toEqual(Object.keys(SHOWN));
  expect(Object.keys(RULINGS)).toEqual(Object.keys(SHOWN));
});

it.each(Object.entries(SHOWN))(
  'the skill says what happens, and its code does it: %s',
  async (heading, show) => {
    const names = await show();
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !SECTIONS.get(heading)?.includes(name))).toEqual([]);
  },
);

it.each(Object.entries(RULINGS))('the skill rules: %s', (heading, rulings) => {
  expect(rulings.filter((ruling) => !SECTIONS.get(heading)?.includes(ruling))).toEqual([]);
});

it('every never of the skill has the right code beside it', () => {
  const without = [...SECTIONS.keys()].filter((heading) => codeOf(heading).length === 0);
  expect(without).toEqual([]);
});

it('the skill names pages that are in the package, and has no link that dies in a copy', () => {
  const pages = SKILL.match(/\bdocs\/[\w./-]+\.md/g) ?? [];
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter((page) => !existsSync(page))).toEqual([]);
  expect(SKILL).not.toMatch(/\]\((?!#|https:)/);
});

it('the front matter of the skill is what agents read', () => {
  const [, yaml = ''] = /^---\n([^]*?)\n---\n/.exec(SKILL) ?? [];
  const { name, description } = parse(yaml) as Record<string, string>;
  expect(name).toBe('nestjs-payments'); // as its folder
  expect(description?.length).toBeLessThanOrEqual(1_024);
  expect(description).toContain('Use when');
});
