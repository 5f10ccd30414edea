import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';
import { eventKey, triesByEvent, isCopy } from './delivery-tries.js';
import { type AskedReferences, ownDeliveries } from './webhooks-heard.js';

/** The HTTP status that a delivery gets, by what came before it. */
export type AnswerRule = (body: Buffer, now: number, earlier: readonly CapturedDelivery[]) => number;

/** The answer that the specification asks for. */
const RECEIVED = 200;

/**
 * The answers to the tries of the first event, of the second and so on. Later tries and later events get 200. Two events are refused,
 * so that one lost delivery does not look like the schedule.
 */
const ANSWERS: readonly (readonly number[])[] = [[500, 500], [500], [204], [201], [202]];

/** Events that it takes to ask everything about redelivery. */
export const REDELIVERY_EVENTS = ANSWERS.length;

/** Answers the first events of this run so that they show how the gateway delivers again. Others get 200. */
export function redeliveryRule(asked: AskedReferences): AnswerRule {
  return (body, now, earlier) => {
    const { reference } = claimedEvent(body);
    if (reference === undefined || !asked.has(reference)) return RECEIVED;
    const events = triesByEvent(ownDeliveries({ deliveries: earlier, asked }));
    const key = eventKey(body);
    const tries = events.get(key) ?? [];
    const last = tries.at(-1);
    if (last && isCopy(last.copies.at(-1), now)) return last.status;
    const place = events.has(key) ? [...events.keys()].indexOf(key) : events.size;
    return ANSWERS[place]?.[tries.length] ?? RECEIVED;
  };
}
