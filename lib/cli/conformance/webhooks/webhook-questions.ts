import { declinedEnd, eventSeen, otherEvents, payoutEvents, payoutWebhooks } from './events-found.js';
import { firstRedelivery, receivedAnswers } from './redelivery-found.js';
import { otherHeaders, repeatedBytes } from './repeats-found.js';
import { type WebhookQuestion } from './webhook-question.js';
import { type AskedEnding } from './webhooks-heard.js';

const EVENTS = ['payment.success', 'payment.failed', 'payment.cancelled', 'payment.expired'] as const;

/** What the webhooks of a gateway are asked, one row a question. */
export const WEBHOOK_QUESTIONS: readonly WebhookQuestion[] = [
  {
    name: 'webhook signature',
    point: 'does not show how webhooks are signed',
    concludes: (_, { conclusion }) => conclusion,
  },
  {
    name: 'first redelivery',
    point: "does not show the webhook's retry schedule",
    concludes: firstRedelivery,
  },
  { name: 'webhook answers', point: 'redelivery', concludes: receivedAnswers },
  {
    name: 'repeated webhook',
    point: 'does not say how long deliveries may repeat',
    concludes: repeatedBytes,
  },
  { name: 'webhook headers', point: 'signature', concludes: otherHeaders },
  ending('payment.success', ['approve']),
  ending('payment.failed', ['decline']),
  ending('payment.cancelled', ['cancel', 'decline']),
  ending('payment.expired', ['expire'], 'expiry of a waiting collection'),
  { name: 'declined payment', point: 'a customer who declines', concludes: declinedEnd },
  {
    name: 'other events',
    point: 'may grow fields, statuses and values',
    concludes: (heard) => otherEvents(heard, EVENTS),
  },
  { name: 'payout webhooks', point: 'sends no webhook for payouts', concludes: payoutWebhooks },
  { name: 'payout events', point: 'shows no payout events', concludes: payoutEvents },
];

function ending(
  event: (typeof EVENTS)[number],
  endings: readonly AskedEnding[],
  point = 'who decides',
): WebhookQuestion {
  return { name: `event ${event}`, point, concludes: (heard) => eventSeen(heard, event, endings) };
}
