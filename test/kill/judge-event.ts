import { type Line } from './history.js';

/** An effect that was made again. */
export interface Repeat {
  readonly reference: string;
  /** Which replica made the effect the time before, and why that did not count; undefined: for no reason. */
  readonly because: string | undefined;
}

type LineOf<What extends Line['what']> = What extends unknown
  ? Extract<Line, { readonly what: What }>
  : never;

/** What all events of a run have in common. */
export interface Run {
  readonly history: readonly Line[];
  /** Which lives ended with a kill. */
  readonly killed: ReadonlySet<string>;
  readonly leaseMs: number;
}

/** Clocks of storages and of this machine may differ by so much over a lease; some round to milliseconds. */
const TOLERANCE_MS = 50;
/** How long after a storage is back its clients may still fail. */
const RECONNECTS_WITHIN_MS = 5_000;

/**
 * What claims of one event must never do: hold together, end twice, be taken away early.
 *
 * @param lines Of one reference, by time.
 */
export function claimFaults(lines: readonly Line[], leaseMs: number): string[] {
  const claims = all(lines, 'claimed');
  const finishes = all(lines, 'finished');
  const done = finishes.filter(({ said }) => said === true);
  const mayEnd = ({ since }: LineOf<'claimed'>): number => since + leaseMs - TOLERANCE_MS;
  const together = claims.filter((claim, index) => {
    const before = claims[index - 1];
    return before && claim.at < mayEnd(before) && !ended(lines, before, claim.at);
  });
  const early = [...all(lines, 'marked'), ...finishes].filter((told) => {
    const claim = claimOf(told, claims);
    // One that is asked again after a failure may find that it was done after all.
    const again = finishes.some(
      ({ life, attempt, said, at }) =>
        said === 'error' && life === told.life && attempt === told.attempt && at < told.at,
    );
    return told.said === false && !again && claim && told.at < mayEnd(claim);
  });
  const late = done.filter((finish) => {
    const claim = claimOf(finish, claims);
    const begun = all(lines, 'ending').findLast(({ life, at }) => life === finish.life && at < finish.at);
    return claims.some(({ at }) => claim && begun && at > claim.at && at < begun.at);
  });
  return [
    ...together.map(({ reference }) => `${reference} was claimed while another claim held`),
    ...early.map(({ reference }) => `${reference} lost its claim before the lease ended`),
    ...late.map(({ reference }) => `${reference} was finished by a claim that another one had taken over`),
    ...(done.length > 1 ? [`${done[0]!.reference} was finished ${done.length} times`] : []),
  ];
}

/**
 * Why the effects of one event were made again.
 *
 * @param lines Of one reference, by time.
 * @param run All lines, and which lives ended with a kill.
 */
export function explainRepeats(lines: readonly Line[], run: Run): Repeat[] {
  const effects = all(lines, 'effect');
  return effects.slice(1).map((effect, index) => {
    const before = effects[index]!;
    return { reference: before.reference, because: reasonFor(before, effect.at, lines, run) };
  });
}

/** Why an effect did not keep another one away; undefined: it should have. */
function reasonFor(
  { life, attempt, at }: LineOf<'effect'>,
  repeatedAt: number,
  lines: readonly Line[],
  { history, killed, leaseMs }: Run,
): string | undefined {
  const itsOwn = lines.filter((line) => line.life === life && 'attempt' in line && line.attempt === attempt);
  const told = [...all(itsOwn, 'marked'), ...all(itsOwn, 'finished')];
  if (told.some(({ said }) => said === true)) return undefined;
  const failed = told.find(({ said }) => said === 'error');
  if (failed) {
    return wasAway(history, at, failed.at)
      ? `the storage went away before ${life} had recorded it`
      : undefined;
  }
  const claim = all(itsOwn, 'claimed')[0];
  if (!claim || repeatedAt < claim.since + leaseMs - TOLERANCE_MS) return undefined;
  if (told.some(({ said }) => said === false)) return `${life} outlived its lease`;
  return killed.has(life) ? `${life} was killed before it had recorded it` : undefined;
}

function claimOf(
  { life, attempt }: LineOf<'marked' | 'finished'>,
  claims: readonly LineOf<'claimed'>[],
): LineOf<'claimed'> | undefined {
  return claims.find((claim) => claim.life === life && claim.attempt === attempt);
}

/** Whether a claim was given back, or may have been, before `at`. */
function ended(lines: readonly Line[], { life, at: claimedAt }: LineOf<'claimed'>, at: number): boolean {
  return lines.some(
    (line) => line.what === 'ending' && line.life === life && line.at > claimedAt && line.at < at,
  );
}

function wasAway(history: readonly Line[], from: number, until: number): boolean {
  const downs = all(history, 'storage down');
  return downs.some((down) => {
    const up = all(history, 'storage up').find(({ at }) => at > down.at);
    return down.at < until && (up?.at ?? Infinity) + RECONNECTS_WITHIN_MS > from;
  });
}

function all<What extends Line['what']>(lines: readonly Line[], what: What): LineOf<What>[] {
  return lines.filter((line): line is LineOf<What> => line.what === what);
}
