import { expect } from 'vitest';
import { memoryStorage, NameLookupService, PaymentsInbox } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';

const CUSTOMER = { phone: '255712345678', customer_name: 'Asha Juma', customer_email: 'asha@example.com' };
const REQUEST = { ...CUSTOMER, amount: '750.00' };

/** What a merchant does beside selling and paying out. Run it last: it leaves conflicts behind. */
export async function doOtherDuties(sandbox: PaymentsSandbox, app: PaymentsApp): Promise<void> {
  await lookUpWallet(sandbox, app);
  await refuseBadInput(sandbox, app);
  await refuseWrongKeys(sandbox);
  await waitForTheCustomer(sandbox, app);
  await settleByHand(sandbox, app);
  await bearOddWebhooks(sandbox, app);
}

async function lookUpWallet(sandbox: PaymentsSandbox, { app }: PaymentsApp): Promise<void> {
  const account = { channel: 'PARTNERPESA', account_number: CUSTOMER.phone } as const;
  const { account_name: holder } = await app.get(NameLookupService).lookup(account);
  expect(holder).toBe(sandbox.directory.holderOf(CUSTOMER.phone));
}

async function refuseBadInput(sandbox: PaymentsSandbox, { collections }: PaymentsApp): Promise<void> {
  const before = sandbox.requests().length;
  await expect(
    collections.mobileMoney({ ...REQUEST, reference: 'bad-1', amount: '0' }),
  ).rejects.toMatchObject({ name: 'PaymentsValidationError' });
  expect(sandbox.requests()).toHaveLength(before);
}

async function refuseWrongKeys(sandbox: PaymentsSandbox): Promise<void> {
  const options = { ...sandbox.moduleOptions(), apiSecret: 'sk_test_another', storage: memoryStorage() };
  const stranger = await startPaymentsApp(options);
  try {
    await expect(
      stranger.collections.mobileMoney({ ...REQUEST, reference: 'stranger-1' }),
    ).rejects.toMatchObject({ name: 'PaymentsAuthenticationError', mayHaveBeenProcessed: false });
    expect(sandbox.payments().map(({ reference }) => reference)).not.toContain('stranger-1');
  } finally {
    await stranger.app.close();
  }
}

async function waitForTheCustomer(sandbox: PaymentsSandbox, app: PaymentsApp): Promise<void> {
  const reference = 'awaited-1';
  await app.collections.mobileMoney({ ...REQUEST, reference });
  const outcome = app.journal.waitForOutcome('collection', reference, { timeoutMs: 10_000 });
  await sandbox.customer(CUSTOMER.phone).approve(reference);
  expect(await outcome).toMatchObject({ state: 'settled', outcome: 'success', amount: '750.00' });
}

/** The gateway's word comes later and counts more than the operator's; the contradiction is shown. */
async function settleByHand(sandbox: PaymentsSandbox, app: PaymentsApp): Promise<void> {
  const reference = 'by-hand-1';
  const { journal } = app;
  await app.collections.mobileMoney({ ...REQUEST, reference });
  expect(await journal.settle('collection', reference, 'failed')).toMatchObject({ outcome: 'failed' });
  await expect(journal.settle('collection', reference, 'expired')).rejects.toMatchObject({
    code: 'ALREADY_SETTLED',
  });
  const before = app.seen.events.length;
  await sandbox.customer(CUSTOMER.phone).approve(reference);
  expect(app.seen.events.slice(before)).toEqual(['conflict', 'payment.success']);
}

async function bearOddWebhooks(sandbox: PaymentsSandbox, app: PaymentsApp): Promise<void> {
  const before = app.seen.events.length;
  const conflict = paymentEvent('payment.failed', { reference: 'awaited-1', amount: '750.00' });
  expect(await post(sandbox, app, conflict, 'a secret that nobody has')).toBe(401);
  expect(await post(sandbox, app, conflict)).toBe(200);
  expect(await post(sandbox, app, conflict)).toBe(200);
  expect(await post(sandbox, app, { ...conflict, event: 'payment.refunded' })).toBe(200);
  expect(app.seen.events.slice(before)).toEqual(['conflict']);
  const stored = await app.app.get(PaymentsInbox).conflicts();
  const kinds = stored.filter(({ reference }) => reference === 'awaited-1').map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(['conflict', 'unrecognized']);
}

async function post(
  sandbox: PaymentsSandbox,
  app: PaymentsApp,
  event: object,
  secret = sandbox.webhookSecret,
): Promise<number> {
  const { webhooks } = sandbox.moduleOptions();
  const body = JSON.stringify(event);
  const signed = signWebhook({ scheme: webhooks!.scheme, secret, body });
  const headers = { 'content-type': 'application/json', ...signed };
  return (await fetch(app.webhookUrl, { method: 'POST', headers, body })).status;
}
