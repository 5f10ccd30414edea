import { learnSignature } from './delivery-signature.js';
import { declinedEnd, eventSeen, otherEvents, payoutEvents, payoutWebhooks } from './events-found.js';
import { firstRedelivery, receivedAnswers } from './redelivery-found.js';
import { otherHeaders, repeatedBytes } from './repeats-found.js';
import { type Found, type WebhookNeed, type WebhookQuestion } from './webhook-question.js';
import { type AskedEnding, type WebhooksHeard } from './webhooks-heard.js';

const EVENTS = ['payment.success', 'payment.failed', 'payment.cancelled', 'payment.expired'] as const;

/** What the webhooks of a gateway are asked, one row a question. */
export const WEBHOOK_QUESTIONS: readonly WebhookQuestion[] = [
  question('webhook signature', {
    point: 'does not show how webhooks are signed',
    asks: 'how webhooks are signed, and whether a time is signed',
    needs: ['address', 'secret'],
    concludes: (heard) => learnSignature(heard).conclusion,
  }),
  question('first redelivery', {
    point: "does not show the webhook's retry schedule",
    asks: 'when a webhook comes again that was answered with 500',
    needs: ['address', 'time'],
    concludes: firstRedelivery,
  }),
  question('webhook answers', {
    point: 'redelivery',
    asks: 'which answers to a webhook count as received',
    needs: ['address', 'time'],
    concludes: receivedAnswers,
  }),
  question('repeated webhook', {
    point: 'does not say how long deliveries may repeat',
    asks: 'whether a webhook that comes again has the same bytes and the same signature',
    needs: ['address', 'time'],
    concludes: repeatedBytes,
  }),
  question('webhook headers', {
    point: 'signature',
    asks: 'which headers a webhook has beside the signature',
    needs: ['address'],
    concludes: otherHeaders,
  }),
  ending('payment.success', ['approve'], ['person'], 'Approve the payment on the phone.'),
  ending(
    'payment.failed',
    ['decline'],
    ['person'],
    'Decline the payment on the phone, or enter a wrong PIN.',
  ),
  ending('payment.cancelled', ['cancel', 'decline'], ['person'], 'Cancel the payment on the phone.'),
  ending(
    'payment.expired',
    ['expire'],
    ['person', 'time'],
    'Leave the payment on the phone alone until it expires.',
  ),
  question('declined payment', {
    point: 'a customer who declines',
    asks: 'how a payment ends that its customer declines',
    needs: ['address', 'person'],
    person: 'Decline the payment on the phone.',
    concludes: declinedEnd,
  }),
  question('other events', {
    point: 'may grow fields, statuses and values',
    asks: 'whether payments have other events than the four',
    needs: ['address'],
    concludes: (heard) => otherEvents(heard, EVENTS),
  }),
  question('payout webhooks', {
    point: 'sends no webhook for payouts',
    asks: 'whether payouts have webhooks',
    needs: ['address', 'time'],
    concludes: payoutWebhooks,
  }),
  question('payout events', {
    point: 'shows no payout events',
    asks: 'which events payouts have, and how they look',
    needs: ['address', 'time'],
    concludes: payoutEvents,
  }),
];

function ending(
  event: (typeof EVENTS)[number],
  endings: readonly AskedEnding[],
  needs: readonly WebhookNeed[],
  person: string,
): WebhookQuestion {
  return question(`event ${event}`, {
    point: event === 'payment.expired' ? 'expiry of a waiting collection' : 'who decides',
    asks: `whether ${event} comes in the form of the specification`,
    needs: ['address', ...needs],
    person,
    concludes: (heard) => eventSeen(heard, event, endings),
  });
}

function question(
  name: string,
  {
    concludes,
    ...row
  }: Omit<WebhookQuestion, 'name' | 'concludes'> & {
    readonly concludes: (heard: WebhooksHeard) => Found;
  },
): WebhookQuestion {
  return { ...row, name, concludes: (heard) => ({ question: name, ...concludes(heard) }) };
}
