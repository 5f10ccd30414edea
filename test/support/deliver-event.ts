import { type PaymentEventData } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { type PaymentsApp } from './payments-app.js';

/** Delivers a signed success of a payment, as the gateway does. Resolves to the status of the answer. */
export async function deliverEvent(
  { webhookUrl }: Pick<PaymentsApp, 'webhookUrl'>,
  sandbox: PaymentsSandbox,
  reference: string,
  data: Partial<PaymentEventData> = {},
): Promise<number> {
  const body = JSON.stringify(paymentEvent('payment.success', { reference, amount: '1180.50', ...data }));
  const { scheme } = sandbox.moduleOptions().webhooks!;
  const signature = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
  const headers = { 'content-type': 'application/json', ...signature };
  return (await fetch(webhookUrl, { method: 'POST', headers, body })).status;
}
