import { type CapturedDelivery, claimedEvent, evidenceOf } from './captured-delivery.js';
import { shapeDifferences, toldName } from './event-shape.js';
import { type Found, silent } from './found.js';
import { askedBy, type AskedEnding, listenedFor, type WebhooksHeard } from './webhooks-heard.js';

/** Most differences that a clause tells. */
const MOST_TOLD = 6;
/** The customer did something else, or nothing. */
const NOT_DECLINED: ReadonlySet<string> = new Set(['payment.success', 'payment.expired']);

/** Whether the event came, in the form that the specification shows. */
export function eventSeen(heard: WebhooksHeard, event: string, endings: readonly AskedEnding[]): Found {
  const seen = heard.deliveries.filter(({ body }) => claimedEvent(body).event === event);
  if (seen.length > 0) return shapeFound(event, seen);
  return silent(
    wasMade(heard, endings)
      ? `no ${event} within ${listenedFor(heard)}`
      : `no payment was made that was to end as ${event}`,
  );
}

/** Whether payouts have webhooks. The specification shows none, so nothing of them can be `held`. */
export function payoutWebhooks(heard: WebhooksHeard): Found {
  const seen = deliveriesOf(heard, 'payout');
  if (seen.length === 0) {
    const isMade = wasMade(heard, ['payout']);
    return silent(isMade ? `no webhook for payouts within ${listenedFor(heard)}` : 'no payout was made');
  }
  return { verdict: 'differs', says: 'payouts have webhooks', evidence: evidenceOf(seen) };
}

/** The names of the events of payouts, and how they differ from those of collections. */
export function payoutEvents(heard: WebhooksHeard): Found {
  const seen = deliveriesOf(heard, 'payout');
  if (seen.length === 0) return silent('no webhook for a payout came');
  const says = `payouts have the events ${namesOf(seen).join(', ')}${differenceClause(seen)}`;
  return { verdict: 'differs', says, evidence: evidenceOf(seen) };
}

/** Events of collections beside the four of the specification. */
export function otherEvents(heard: WebhooksHeard, known: readonly string[]): Found {
  const payouts = deliveriesOf(heard, 'payout');
  const own = heard.deliveries.filter((delivery) => !payouts.includes(delivery));
  if (own.length === 0) return silent('no webhook of a payment came');
  const others = own.filter(({ body }) => !known.includes(claimedEvent(body).event ?? ''));
  if (others.length === 0) {
    return {
      verdict: 'held',
      says: 'payments have no other events than the four',
      evidence: evidenceOf(own),
    };
  }
  const says = `payments have other events: ${namesOf(others).join(', ')}`;
  return { verdict: 'differs', says, evidence: evidenceOf(others) };
}

/** How a collection ends whose customer declines. */
export function declinedEnd(heard: WebhooksHeard): Found {
  const seen = deliveriesOf(heard, 'decline');
  const names = namesOf(seen);
  if (names.length === 0) {
    const isMade = wasMade(heard, ['decline']);
    return silent(
      isMade ? `no webhook of a declined payment within ${listenedFor(heard)}` : 'no payment was declined',
    );
  }
  if (names.every((name) => NOT_DECLINED.has(name)))
    return silent(`the payment that was to be declined gave ${names.join(' and ')}: nobody declined it`);
  const isEnd = names.length === 1 && ['payment.failed', 'payment.cancelled'].includes(names[0] ?? '');
  const says = `a payment that its customer declines gives ${names.join(' and ')}`;
  return { verdict: isEnd ? 'held' : 'differs', says, evidence: evidenceOf(seen) };
}

function deliveriesOf(heard: WebhooksHeard, ending: AskedEnding): readonly CapturedDelivery[] {
  return heard.deliveries.filter((delivery) => askedBy(heard.asked, delivery)?.ending === ending);
}

/** Whether the gateway accepted one while this listened. */
function wasMade({ asked }: WebhooksHeard, endings: readonly AskedEnding[]): boolean {
  return [...asked.values()].some(({ ending, accepted }) => accepted === 'now' && endings.includes(ending));
}

function namesOf(deliveries: readonly CapturedDelivery[]): readonly string[] {
  return [...new Set(deliveries.map(({ body }) => toldName(claimedEvent(body).event ?? '')))];
}

function shapeFound(event: string, seen: readonly CapturedDelivery[]): Found {
  const clause = differenceClause(seen);
  const evidence = evidenceOf(seen);
  if (clause === '')
    return { verdict: 'held', says: `${event} came in the form of the specification`, evidence };
  return { verdict: 'differs', says: `${event} came${clause}`, evidence };
}

function differenceClause(seen: readonly CapturedDelivery[]): string {
  const found = [...new Set(seen.flatMap(({ body }) => shapeDifferences(body)))];
  if (found.length === 0) return '';
  const more = found.length > MOST_TOLD ? [`and ${found.length - MOST_TOLD} more`] : [];
  return `, but ${[...found.slice(0, MOST_TOLD), ...more].join(', ')}`;
}
