import { type Line } from './history.js';
import { isClaim, type Step, stepFaults } from './steps.js';

/** An effect that was made again, and why the one before did not count. */
export interface Repeat {
  readonly reference: string;
  readonly because: string;
}

/** The name under which the inbox remembers the handler that makes the effect. */
export const EFFECT_HANDLER = 'the-effect';

type LineOf<What extends Line['what']> = What extends unknown
  ? Extract<Line, { readonly what: What }>
  : never;
type RunLine = LineOf<'claimed' | 'effect' | 'marking' | 'marked' | 'ending' | 'finished'>;

/** Everything about one reference. */
export interface Event {
  /** What the replicas wrote down, each line before the deed or after the answer that it tells of; by time. */
  readonly lines: readonly Line[];
  /** What the storage wrote down, in its order. */
  readonly steps: readonly Step[];
}

/**
 * What claims of one event must never do: hold together, end twice, be ended by others, or be told what the storage
 * does not hold. Nothing here depends on how fast a process was: the storage's order counts, and the order within one
 * process.
 *
 * @param isTransactional The storage undoes what handlers did, and so remembers no single handler.
 */
export function claimFaults({ lines, steps }: Event, isTransactional: boolean): string[] {
  const released = all(lines, 'releasing').map(({ outcome }) => outcome);
  const [reference = ''] = lines.flatMap((line) => ('reference' in line ? [line.reference] : []));
  return [
    ...stepFaults(steps, released),
    ...all(lines, 'purged')
      .filter(() => !steps.some(({ state }) => state === 'gone'))
      .map(() => `${reference} was purged and is still there`),
    ...[
      ...all(lines, 'claimed').flatMap((claim) => claimedFaults(claim, lines, steps)),
      ...all(lines, 'marked').flatMap((told) => markFaults(told, lines, steps, isTransactional)),
      ...all(lines, 'finished').flatMap((told) => finishFaults(told, steps)),
      ...all(lines, 'effect').flatMap((effect) => effectFaults(effect, lines, steps, isTransactional)),
    ].map((fault) => `${reference} ${fault}`),
  ];
}

function claimedFaults(claim: LineOf<'claimed'>, lines: readonly Line[], steps: readonly Step[]): string[] {
  const same = all(lines, 'claimed').filter(
    (line) => line.outcome === claim.outcome && line.attempt === claim.attempt && !wasWithdrawn(line, lines),
  );
  return [
    ...(same[0] === claim && same.length > 1 ? ['was claimed twice with one number'] : []),
    ...(ofRun(claim, steps).length > 0 ? [] : ['was claimed, and the storage does not know of it']),
  ];
}

/** The next claim counts from the beginning again. */
function wasWithdrawn(claim: LineOf<'claimed'>, lines: readonly Line[]): boolean {
  return all(lines, 'ending').some((line) => line.how === 'withdraw' && isSameRun(line, claim));
}

function markFaults(
  told: LineOf<'marked'>,
  lines: readonly Line[],
  steps: readonly Step[],
  isTransactional: boolean,
): string[] {
  const own = ofRun(told, steps);
  if (told.said === true && !isTransactional) {
    const isRemembered = own.some(({ finished }) => finished.includes(told.handler));
    return isRemembered ? [] : ['was told that a handler is remembered, which the storage does not know'];
  }
  if (told.said !== false || isTransactional) return [];
  // Its own process has not given it back, and so nobody may: it ends by a further claim only.
  const ending = all(lines, 'ending').some((line) => isSameRun(line, told) && line.at < told.at);
  const isEnded = own.some(({ state }) => state !== 'running');
  const isLost = isEnded || own.length === 0 || own.at(-1) === steps.at(-1);
  return isLost && !ending ? ['lost its claim though nobody had claimed it again'] : [];
}

function finishFaults(told: LineOf<'finished'>, steps: readonly Step[]): string[] {
  const own = ofRun(told, steps);
  const isDone = own.some(({ state }) => state === 'done');
  if (told.said === true && !isDone) return ['was finished by a claim that did not hold'];
  // Once an operator has released another outcome, or purged this one, the storage no longer knows who had finished it.
  const stands = own.at(-1) === steps.at(-1);
  return told.said === false && isDone && stands ? ['was finished, and told that it was not'] : [];
}

function effectFaults(
  effect: LineOf<'effect'>,
  lines: readonly Line[],
  steps: readonly Step[],
  isTransactional: boolean,
): string[] {
  const ofSameRun = (what: RunLine['what']): RunLine[] =>
    all(lines, what).filter((line) => isSameRun(line, effect));
  const claim = steps.find((step, index) => isClaim(step, steps[index - 1]) && isOfRun(step, effect));
  const effects = ofSameRun('effect');
  const faults = [
    ...(ofSameRun('claimed').length > 0 ? [] : ['has an effect without a claim']),
    ...(effects[0] === effect && effects.length > 1 ? ['has two effects of one run'] : []),
  ];
  if (isTransactional) return faults;
  const isForgotten = ofSameRun('ending').length > 0 && ofSameRun('marking').length === 0;
  return [
    ...faults,
    ...(claim?.finished.includes(EFFECT_HANDLER) ? ['has an effect that was remembered before'] : []),
    ...(isForgotten ? ['has an effect that nobody wanted to remember'] : []),
  ];
}

/**
 * Why effects of one event were made again: each run but the last did not know, or could not say, that it had made one.
 *
 * @param lines Of one reference.
 * @param history Of all events.
 */
export function explainRepeats(lines: readonly Line[], history: readonly Line[]): Repeat[] {
  const effects = all(lines, 'effect');
  return effects.flatMap((effect) => {
    const again = effects.some(
      ({ outcome, attempt }) => outcome === effect.outcome && attempt > effect.attempt,
    );
    return again ? [{ reference: effect.reference, because: reasonFor(effect, lines, history) }] : [];
  });
}

function reasonFor(effect: LineOf<'effect'>, lines: readonly Line[], history: readonly Line[]): string {
  const { life, at } = effect;
  const told = [...all(lines, 'marked'), ...all(lines, 'finished')].filter((line) => isSameRun(line, effect));
  if (told.some(({ said }) => said === true)) return `${life} had recorded it`;
  if (told.some(({ said }) => said === false)) return `${life} outlived its lease`;
  if (told.length > 0) return `the storage did not confirm the record of ${life}`;
  const isKilled = all(history, 'killed').some((line) => line.life === life && line.at > at);
  return isKilled ? `${life} was killed before it had recorded it` : `${life} had no answer`;
}

/** Whether two lines are about one run of the handlers. */
function isSameRun(one: RunLine, other: RunLine): boolean {
  return one.life === other.life && one.attempt === other.attempt && one.outcome === other.outcome;
}

/** What the storage wrote down of a run: an outcome is claimed with each number once. */
function ofRun(run: RunLine, steps: readonly Step[]): Step[] {
  return steps.filter((step) => isOfRun(step, run));
}

function isOfRun(step: Step, run: RunLine): boolean {
  return step.outcome === run.outcome && step.attempt === run.attempt && step.state !== 'gone';
}

function all<What extends Line['what']>(lines: readonly Line[], what: What): LineOf<What>[] {
  return lines.filter((line): line is LineOf<What> => line.what === what);
}
