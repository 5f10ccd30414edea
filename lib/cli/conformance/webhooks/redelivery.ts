import { RECEIVED } from './answer-rule.js';
import { type CapturedDelivery, evidenceOf } from './captured-delivery.js';
import { type DeliveryTry, triesByEvent } from './delivery-tries.js';
import { deliveriesFromTheirFirstTry, type WebhooksHeard } from './webhooks-heard.js';

/** Answers in 2xx beside 200 that are tried out. */
export const OTHER_SUCCESSES = [201, 202, 204] as const;

/** One lost delivery must not look like the schedule, so two events have to agree. */
const FEWEST_WAITS = 2;
const TOLERANCE_MS = 1_000;
const TOLERANCE_OF_WAIT = 0.1;

/** What became of an event that was answered with a success. */
type AnswerEffect = 'received' | 'delivered again' | 'unknown';

/** What is known about redelivery. */
export interface Redelivery {
  /** Waits in milliseconds between the tries of each event that was refused at first. */
  readonly waits: readonly (readonly number[])[];
  /** The first wait, if events agree about it. */
  readonly firstWaitMs: number | undefined;
  readonly effects: ReadonlyMap<number, AnswerEffect>;
  /** The negative control: what became of events that were answered with 200. */
  readonly control: AnswerEffect;
  /** Most tries of one event. */
  readonly tries: number;
  /** The deliveries that show the first wait, and those that show what an answer means. */
  readonly waitEvidence: readonly string[];
  readonly answerEvidence: readonly string[];
}

export function observeRedelivery(heard: WebhooksHeard): Redelivery {
  const events = [...triesByEvent(deliveriesFromTheirFirstTry(heard)).values()];
  const refused = events.filter(([first]) => first?.status === 500);
  const waits = refused.map(waitsOf);
  const firstWaitMs = agreedWait(waits.flatMap(([first]) => first ?? []));
  const others = events.filter(([first]) => OTHER_SUCCESSES.some((status) => status === first?.status));
  const effects = others.map(
    (tries) => [tries[0]?.status ?? 0, effectOf(tries, firstWaitMs, heard.until)] as const,
  );
  return {
    waits,
    firstWaitMs,
    effects: new Map(effects),
    control: controlOf(events, firstWaitMs, heard.until),
    tries: Math.max(0, ...events.map(({ length }) => length)),
    waitEvidence: evidenceOf(refused.flatMap(copiesOf)),
    answerEvidence: evidenceOf(others.flatMap(copiesOf)),
  };
}

/** How far a wait may be from another one that counts as the same. */
export function toleranceOf(waitMs: number): number {
  return Math.max(TOLERANCE_MS, waitMs * TOLERANCE_OF_WAIT);
}

function waitsOf(tries: readonly DeliveryTry[]): readonly number[] {
  return tries.slice(1).map(({ at }, place) => at - (tries[place]?.at ?? at));
}

function agreedWait(waits: readonly number[]): number | undefined {
  const [least, most] = [Math.min(...waits), Math.max(...waits)];
  return waits.length >= FEWEST_WAITS && most - least <= toleranceOf(least) ? least : undefined;
}

/** Copies that come at another time than the schedule's say nothing. */
function effectOf(
  [first, ...later]: readonly DeliveryTry[],
  waitMs: number | undefined,
  until: number,
): AnswerEffect {
  if (!first || waitMs === undefined) return 'unknown';
  const after = later.map(({ at }) => at - first.at);
  if (after.some((gap) => Math.abs(gap - waitMs) <= toleranceOf(waitMs))) return 'delivered again';
  return until - first.at > waitMs + toleranceOf(waitMs) ? 'received' : 'unknown';
}

/** After 200 any other try shows that the gateway delivers again whatever the answer is. */
function controlOf(
  events: readonly (readonly DeliveryTry[])[],
  waitMs: number | undefined,
  until: number,
): AnswerEffect {
  const received = events.flatMap((tries) =>
    tries.flatMap((one, place) => (one.status === RECEIVED ? [tries.slice(place)] : [])),
  );
  if (received.some(({ length }) => length > 1)) return 'delivered again';
  return received.some((tries) => effectOf(tries, waitMs, until) === 'received') ? 'received' : 'unknown';
}

function copiesOf(tries: readonly DeliveryTry[]): readonly CapturedDelivery[] {
  return tries.flatMap(({ copies }) => copies);
}
