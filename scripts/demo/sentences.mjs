// What happens between the shop, the gateway and the phone, in sentences for people. Pure functions of the emulator's records.
import { money } from './http.mjs';

const DECISIONS = {
  success: 'The customer approves: the payment is made.',
  failed: 'The payment fails: no money moves.',
  cancelled: 'The customer cancels: no money moves.',
  expired: 'The request has run out of time: no money moves.',
};
const COLLECTION = /^\/api\/v1\/payments\//;

/** `[who, sentence]` pairs about one call of the gateway. */
export function requestSentences({ method, path, reference, body, status, code, fault }) {
  if (method !== 'POST' || !COLLECTION.test(path)) return [];
  const asked = `The shop asks for ${money(body?.amount ?? 0)} from the phone that ends in ${ending(body?.phone)} (${reference}).`;
  return [
    ['shop', asked],
    ['gateway', answered({ status, code, fault })],
  ];
}

function answered({ status, code }) {
  if (status === null)
    return 'No answer: the connection ends. The shop cannot know whether the customer was asked.';
  if (status < 300) return `${status}, accepted: the request is on the customer's phone.`;
  if (status >= 500)
    return `${status}: the gateway failed. The shop cannot know whether the customer was asked.`;
  if (status === 429)
    return '429, too many requests. The shop waits, then asks again under the same reference.';
  return `${[status, code].filter(Boolean).join(' ')}, refused: nothing was asked.`;
}

/** About a payment whose status has changed. */
export function paymentSentences({ status, reference }) {
  return status in DECISIONS ? [['phone', `${DECISIONS[status]} (${reference})`]] : [];
}

/** About the try of a webhook that has ended. */
export function deliverySentences({ event, reference, attempts, next_attempt_at: next }) {
  const last = attempts.at(-1);
  if (!last) return [];
  const webhook = last.forged ? `${event} with a forged signature` : `the signed webhook ${event}`;
  const start = `The gateway sends ${webhook} (${reference}); the shop`;
  if (last.problem === null) return [['gateway', `${start} answered 200 after ${last.duration_ms} ms.`]];
  const later = next === null ? '' : ` The gateway tries again at ${timeOf(next)}.`;
  return [['gateway', `${start} ${last.problem}.${later}`]];
}

/** About an order that has changed, in the words that its page shows. */
export function orderSentences({ number, state, reason }, words) {
  if (state === 'placed' || state === 'asking') return [];
  const shown = [words[`state.${state}`], reason === null ? undefined : words[`reason.${reason}`]];
  return [['shop', `The page of order ${number} says: “${shown.filter(Boolean).join('. ')}”`]];
}

export const timeOf = (moment) => new Date(moment).toTimeString().slice(0, 8);

const ending = (phone) => String(phone ?? '').slice(-3);

/** Why the demo did not start, and what to do. */
export function whyNoDemo(message) {
  const [, process] = /^(.*) uses the folder .* already/.exec(message) ?? [];
  if (process === undefined) return message;
  return `Another demo runs already (${process}). Use its page, or stop it. Or start this one with npm run demo -- --fresh: it takes other ports, and keeps no orders.`;
}
