import { type CapturedDelivery } from './captured-delivery.js';
import { eventKey, triesByEvent, isCopy } from './delivery-tries.js';
import { askedBy, type AskedReferences, deliveriesFromTheirFirstTry } from './webhooks-heard.js';

/** The HTTP status that a delivery of this run gets, by what came before it. */
export type AnswerRule = (body: Buffer, now: number, earlier: readonly CapturedDelivery[]) => number;

/** The answer that the specification asks for. */
export const RECEIVED = 200;

/**
 * The answers to the tries of the first event, of the second and so on. Later tries and later events get 200. Two events are refused,
 * so that one lost delivery does not look like the schedule.
 */
const ANSWERS: readonly (readonly number[])[] = [[500, 500], [500], [204], [201], [202]];

/** Answers the first events of this run so that they show how the gateway delivers again. */
export function redeliveryRule(asked: AskedReferences): AnswerRule {
  return (body, now, earlier) => {
    if (askedBy(asked, { body })?.accepted === 'earlier') return RECEIVED;
    const events = triesByEvent(deliveriesFromTheirFirstTry({ deliveries: earlier, asked }));
    const key = eventKey(body);
    const tries = events.get(key) ?? [];
    const last = tries.at(-1);
    if (last && isCopy(last.copies.at(-1), now)) return last.status;
    const place = events.has(key) ? [...events.keys()].indexOf(key) : events.size;
    return ANSWERS[place]?.[tries.length] ?? RECEIVED;
  };
}
