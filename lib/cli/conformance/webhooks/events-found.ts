import { type CapturedDelivery, claimedEvent, evidenceOf } from './captured-delivery.js';
import { shapeDifferences, toldName } from './event-shape.js';
import { type Found, silent } from './webhook-question.js';
import { type AskedEnding, listenedFor, ownDeliveries, type WebhooksHeard } from './webhooks-heard.js';

/** Most differences that a clause tells. */
const MOST_TOLD = 6;

/** Whether the event came, in the form that the specification shows. */
export function eventSeen(heard: WebhooksHeard, event: string, endings: readonly AskedEnding[]): Found {
  const seen = ownDeliveries(heard).filter(({ body }) => claimedEvent(body).event === event);
  if (seen.length > 0) return shapeFound(event, seen);
  const wasAsked = [...heard.asked.values()].some((ending) => endings.includes(ending));
  return silent(wasAsked ? `no ${event} within ${listenedFor(heard)}` : `no payment was to end as ${event}`);
}

/** Whether payouts have webhooks. The specification shows none, so nothing of them can be `held`. */
export function payoutEvents(heard: WebhooksHeard): Found {
  const references = [...heard.asked]
    .filter(([, ending]) => ending === 'payout')
    .map(([reference]) => reference);
  if (references.length === 0) return silent('no payout was made');
  const seen = ownDeliveries(heard).filter(({ body }) =>
    references.includes(claimedEvent(body).reference ?? ''),
  );
  if (seen.length === 0) return silent(`no webhook for payouts within ${listenedFor(heard)}`);
  const names = [...new Set(seen.map(({ body }) => toldName(claimedEvent(body).event ?? '')))];
  const says = `payouts have webhooks: ${names.join(', ')}${differenceClause(seen)}`;
  return { verdict: 'differs', says, evidence: evidenceOf(seen) };
}

/** Events of collections beside the four of the specification. */
export function otherEvents(heard: WebhooksHeard, known: readonly string[]): Found {
  const own = ownDeliveries(heard).filter(({ body }) => {
    const { reference } = claimedEvent(body);
    return reference !== undefined && heard.asked.get(reference) !== 'payout';
  });
  if (own.length === 0) return silent('no webhook of a payment came');
  const others = own.filter(({ body }) => !known.includes(claimedEvent(body).event ?? ''));
  if (others.length === 0) {
    return {
      verdict: 'held',
      says: 'payments have no other events than the four',
      evidence: evidenceOf(own),
    };
  }
  const names = [...new Set(others.map(({ body }) => toldName(claimedEvent(body).event ?? '')))];
  return {
    verdict: 'differs',
    says: `payments have other events: ${names.join(', ')}`,
    evidence: evidenceOf(others),
  };
}

/** How a collection ends whose customer declines. */
export function declinedEnd(heard: WebhooksHeard): Found {
  const declined = [...heard.asked]
    .filter(([, ending]) => ending === 'decline')
    .map(([reference]) => reference);
  if (declined.length === 0) return silent('no payment was declined');
  const seen = ownDeliveries(heard).filter(({ body }) =>
    declined.includes(claimedEvent(body).reference ?? ''),
  );
  const names = [...new Set(seen.map(({ body }) => toldName(claimedEvent(body).event ?? '')))];
  if (names.length === 0) return silent(`no webhook of a declined payment within ${listenedFor(heard)}`);
  const isEnd = names.length === 1 && ['payment.failed', 'payment.cancelled'].includes(names[0] ?? '');
  const says = `a payment that its customer declines gives ${names.join(' and ')}`;
  return { verdict: isEnd ? 'held' : 'differs', says, evidence: evidenceOf(seen) };
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
  const more = found.length > MOST_TOLD ? [`${found.length - MOST_TOLD} more differences`] : [];
  return `, but ${[...found.slice(0, MOST_TOLD), ...more].join(', ')}`;
}
