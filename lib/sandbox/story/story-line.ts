import {
  type SandboxDelivery,
  type SandboxDeliveryAttempt,
  type SandboxPayment,
  type SandboxPayout,
  type SandboxRequest,
} from '../control/control-types.js';

/** One thing that happened to a payment or payout. */
export interface StoryLine {
  /** By the sandbox's clock. */
  readonly at: string;
  readonly what: 'request' | 'payment' | 'payout' | 'delivery';
  /** Without secrets and without personal data. */
  readonly text: string;
}

/** `POST /payments/mobile-money, key 1f… -> 200 PAYMENT_INITIATED [ending 0001]` */
export function requestLine(request: SandboxRequest): StoryLine {
  const { at, method, path, headers, status, code, rule, fault, varied } = request;
  const key = headers['idempotency-key'];
  const call = `${method} ${path.replace('/api/v1', '')}${key === undefined ? '' : `, key ${key}`}`;
  const answer = status === null ? `no answer (${fault ?? 'none was sent'})` : joined([String(status), code]);
  const otherwise = varied.length > 0 ? ` (varied: ${varied.join(', ')})` : '';
  return { at, what: 'request', text: `${call} -> ${answer} [${rule ?? 'no rule'}]${otherwise}` };
}

/** `success, 15000.00 TZS by NET_ONE` */
export function paymentLine(payment: SandboxPayment, at: string): StoryLine {
  const { status, amount, currency, channel } = payment;
  return { at, what: 'payment', text: `${status}, ${amount} ${currency} by ${channel}` };
}

/** `processing, 20000.00 TZS and 500.00 fee to BSB` */
export function payoutLine(payout: SandboxPayout, at: string): StoryLine {
  const { status, amount, fee, currency, bank_code, network } = payout;
  return {
    at,
    what: 'payout',
    text: `${status}, ${amount} ${currency} and ${fee} fee to ${bank_code ?? network ?? ''}`,
  };
}

/** `payment.success, try 2 to http://127.0.0.1:3000/hook -> 200` */
export function attemptLine(delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt): StoryLine {
  const { event, url, next_attempt_at: next } = delivery;
  const where = url === null ? '' : ` to ${placeOf(url)}`;
  const later = attempt.problem !== null && next !== null ? `; next try at ${next}` : '';
  const what = `${event}, try ${attempt.number}${attempt.forged ? ' (forged)' : ''}${where}`;
  return { at: attempt.at, what: 'delivery', text: `${what} -> ${attempt.problem ?? '200'}${later}` };
}

/** An event that was not sent when it happened. */
export function unsentLine(delivery: SandboxDelivery, at: string): StoryLine {
  const { event, next_attempt_at: next } = delivery;
  const why = next === null ? 'not sent: there was no address (deliverTo)' : `first try at ${next}`;
  return { at, what: 'delivery', text: `${event}, ${why}` };
}

/** An address without its query, which may hold a token. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}
