import { type Line } from './history.js';
import { type Plan } from './plan.js';
import { claimFaults, explainRepeats, type Repeat } from './judge-event.js';

/** What is known after a run. */
export interface Evidence {
  readonly plan: Plan;
  readonly leaseMs: number;
  /** The storage promises each effect exactly once. */
  readonly exactlyOnce: boolean;
  /** By time. */
  readonly lines: readonly Line[];
  /** For every effect that stands its reference. */
  readonly effects: readonly string[];
}

export interface Verdict {
  /** What must not happen; nothing: the promise was kept. */
  readonly violations: readonly string[];
  /** Effects that were made again, each with the reason. */
  readonly repeats: readonly Repeat[];
  /** How many replicas were killed, by where it happened. */
  readonly kills: ReadonlyMap<string, number>;
}

/** Judges a run by its history and by the effects that stand at its end. */
export function judge(evidence: Evidence): Verdict {
  const { plan, lines, exactlyOnce } = evidence;
  const byReference = groupByReference(lines);
  const of = (reference: string): readonly Line[] => byReference.get(reference) ?? [];
  const times = countOf(evidence.effects);
  const kills = countOf(lines.flatMap((line) => (line.what === 'killed' ? [line.point] : [])));
  const killed = new Set(lines.flatMap((line) => (line.what === 'killed' ? [line.life] : [])));
  const run = { history: lines, killed, leaseMs: evidence.leaseMs };
  const repeats = exactlyOnce
    ? []
    : plan.references.flatMap((reference) => explainRepeats(of(reference), run));
  const perEvent = plan.references.flatMap((reference) => [
    ...(of(reference).some(({ what }) => what === 'answered') ? [] : [`${reference} was never answered 200`]),
    ...(times.has(reference) ? [] : [`${reference} is lost: it has no effect`]),
    ...(exactlyOnce && (times.get(reference) ?? 0) > 1
      ? [`${reference} has ${times.get(reference) ?? 0} effects`]
      : []),
    ...claimFaults(of(reference), evidence.leaseMs),
  ]);
  const known = new Set(plan.references);
  return {
    kills,
    repeats,
    violations: [
      ...perEvent,
      ...[...times.keys()].filter((each) => !known.has(each)).map((each) => `nobody sent ${each}`),
      ...repeats
        .filter(({ because }) => because === undefined)
        .map(({ reference }) => `${reference} was repeated without a reason`),
      ...(repeats.length > killed.size ? [`${repeats.length} repeats after ${killed.size} kills`] : []),
      ...missingKills(plan, kills, of),
    ],
  };
}

/**
 * Every point but the last is passed until somebody dies there. Whoever did not live to hear of its finish, because of a
 * kill at random or a crash of the storage, never came to the answer.
 */
function missingKills(
  { dooms, randomKills }: Plan,
  kills: ReadonlyMap<string, number>,
  of: (reference: string) => readonly Line[],
): string[] {
  const survived = [...dooms].filter(
    ([reference, point]) =>
      !of(reference).some((line) => line.what === 'killed') &&
      !(
        point === 'before the answer' &&
        !of(reference).some((line) => line.what === 'finished' && line.said !== 'error')
      ),
  );
  const random = kills.get('at random') ?? 0;
  return [
    ...survived.map(([reference, point]) => `${reference} killed nobody ${point}`),
    ...(random === randomKills ? [] : [`${random} instead of ${randomKills} kills at random`]),
  ];
}

function groupByReference(lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    if (!('reference' in line)) continue;
    const group = groups.get(line.reference);
    if (group) group.push(line);
    else groups.set(line.reference, [line]);
  }
  return groups;
}

function countOf(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
