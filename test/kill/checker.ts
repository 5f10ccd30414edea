import { claimFaults, explainRepeats, type Repeat } from './check-event.js';
import { type Line } from './history.js';
import { type Effect, type JournalledEnd } from './ledger.js';
import { type Outcome, type Plan } from './plan.js';
import { type Step } from './steps.js';

/** What is known after a run. */
export interface Evidence {
  readonly plan: Plan;
  /** The storage promises each effect exactly once. */
  readonly exactlyOnce: boolean;
  /** By time. */
  readonly lines: readonly Line[];
  /** What the storage itself wrote down of the inbox's entries, in its order. */
  readonly steps: readonly Step[];
  /** The effects that exist, in the order in which they were made. */
  readonly effects: readonly Effect[];
  /** The outcomes that were delivered, by reference. */
  readonly sent: ReadonlyMap<string, readonly Outcome[]>;
  /** The outcomes that are set aside at the end, by reference. */
  readonly setAside: ReadonlyMap<string, readonly Outcome[]>;
  /** What the journal holds at the end of each payment that was written down before. */
  readonly journal: ReadonlyMap<string, JournalledEnd | undefined>;
}

export interface Verdict {
  /** What must not happen; nothing: the promise was kept. */
  readonly violations: readonly string[];
  /** Effects that were made again, each with the reason. */
  readonly repeats: readonly Repeat[];
  /** How many replicas were killed, by where it happened. */
  readonly kills: ReadonlyMap<string, number>;
  /** How many replicas stood still, by where it happened. */
  readonly stops: ReadonlyMap<string, number>;
  /** How often the network broke a request, by how. */
  readonly networkFaults: ReadonlyMap<string, number>;
}

/** Judges a run by its history and by the effects that exist at its end. */
export function check(evidence: Evidence): Verdict {
  const { plan, lines, exactlyOnce, steps } = evidence;
  const byReference = groupByReference(lines.flatMap((line) => ('reference' in line ? [line] : [])));
  const stepsByReference = groupByReference(steps);
  const of = (reference: string): readonly Line[] => byReference.get(reference) ?? [];
  const kills = countOf(lines.flatMap((line) => (line.what === 'killed' ? [line.point] : [])));
  const stops = countOf(lines.flatMap((line) => (line.what === 'stopped' ? [line.point] : [])));
  const networkFaults = countOf(
    lines.flatMap((line) => (line.what === 'network' ? [`${line.request}: ${line.fault}`] : [])),
  );
  const repeats = exactlyOnce
    ? []
    : plan.references.flatMap((reference) => explainRepeats(of(reference), lines));
  const known = new Set(plan.references);
  return {
    kills,
    stops,
    networkFaults,
    repeats,
    violations: [
      ...plan.references.flatMap((reference) => [
        ...effectFaults(reference, of(reference), evidence),
        ...claimFaults({ lines: of(reference), steps: stepsByReference.get(reference) ?? [] }, exactlyOnce),
      ]),
      ...evidence.effects
        .filter((each) => !known.has(each.reference))
        .map((each) => `nobody sent ${each.reference}`),
      ...journalFaults(evidence),
      ...missingTroubles(plan, lines, of),
    ],
  };
}

/** What must never become of one reference: lost, handled twice, or with two outcomes that nobody released. */
function effectFaults(
  reference: string,
  lines: readonly Line[],
  { exactlyOnce, effects, sent, setAside }: Evidence,
): string[] {
  const own = effects.filter((effect) => effect.reference === reference).map(({ outcome }) => outcome);
  const released = lines.flatMap((line) => (line.what === 'releasing' ? [line.outcome] : []));
  const [first] = own;
  const others = [...new Set(own)].filter((outcome) => outcome !== first && !released.includes(outcome));
  const kept = [...own, ...(setAside.get(reference) ?? [])];
  const lost = [...new Set(sent.get(reference))].filter((outcome) => !kept.includes(outcome));
  return [
    ...(isAnswered(lines) ? [] : [`${reference} was never answered 200`]),
    ...(first === undefined ? [`${reference} is lost: it has no effect`] : []),
    ...lost.map((outcome) => `${reference}: ${outcome} is lost, neither handled nor set aside`),
    ...others.map((outcome) => `${reference} has two outcomes: ${first ?? ''} and ${outcome}`),
    ...[...countOf(own)]
      .filter(([, times]) => exactlyOnce && times > 1)
      .map(([outcome, times]) => `${reference}: ${outcome} has ${times} effects`),
    ...released
      .filter((outcome) => !own.includes(outcome))
      .map((outcome) => `${reference}: ${outcome} was released and has no effect`),
  ];
}

/** Whether every delivery came to its 200: also those after a purge. */
function isAnswered(lines: readonly Line[]): boolean {
  return lines.some(({ what }) => what === 'answered') && !lines.some(({ what }) => what === 'given up');
}

/** The journal holds the last outcome of each payment, and no outcome that no webhook reported. */
function journalFaults({ journal, steps }: Evidence): string[] {
  const done = steps.filter(({ state }) => state === 'done');
  const last = new Map(done.map(({ reference, outcome }) => [reference, outcome]));
  return [...journal].flatMap(([reference, { state, outcome, settledBy } = { state: 'nothing' }]) => {
    const expected = last.get(reference);
    if (expected === undefined)
      return state === 'accepted' ? [] : [`the journal holds ${reference} as ${state}`];
    const isRight = state === 'settled' && outcome === expected && settledBy === 'webhook';
    return isRight ? [] : [`the journal does not hold ${reference} as ${expected}: ${outcome ?? state}`];
  });
}

/**
 * Every planned trouble must happen, or the run proves less than it says. Work passes each point but the last before a process
 * dies there; a process that died before its finish was confirmed never came to the answer.
 */
function missingTroubles(
  { crashPoints, stopPoints, networkFaults, randomKills, randomStops }: Plan,
  lines: readonly Line[],
  of: (reference: string) => readonly Line[],
): string[] {
  const happened = (reference: string, what: Line['what']): boolean =>
    of(reference).some((line) => line.what === what);
  const heardOfItsFinish = (reference: string): boolean =>
    of(reference).some((line) => line.what === 'finished' && line.said !== 'error');
  const random = (what: 'killed' | 'stopped'): number =>
    lines.filter((line) => line.what === what && line.point === 'at random').length;
  return [
    ...[...crashPoints]
      .filter(([reference, point]) => point !== 'before the answer' || heardOfItsFinish(reference))
      .filter(([reference]) => !happened(reference, 'killed'))
      .map(([reference, point]) => `${reference} killed nobody ${point}`),
    ...[...stopPoints]
      .filter(([reference]) => !happened(reference, 'stopped'))
      .map(([reference, point]) => `${reference} stopped nobody ${point}`),
    ...[...networkFaults]
      .filter(([reference]) => !happened(reference, 'network'))
      .map(
        ([reference, { request, fault }]) =>
          `the network did not break the ${request} of ${reference}: ${fault}`,
      ),
    ...(random('killed') === randomKills
      ? []
      : [`${random('killed')} instead of ${randomKills} kills at random`]),
    ...(random('stopped') === randomStops
      ? []
      : [`${random('stopped')} instead of ${randomStops} stops at random`]),
  ];
}

function groupByReference<Thing extends { readonly reference?: string }>(
  things: readonly Thing[],
): Map<string, Thing[]> {
  const groups = new Map<string, Thing[]>();
  for (const thing of things) {
    const reference = thing.reference ?? '';
    const group = groups.get(reference);
    if (group) group.push(thing);
    else groups.set(reference, [thing]);
  }
  return groups;
}

function countOf<Word extends string>(words: Iterable<Word>): Map<Word, number> {
  const counts = new Map<Word, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
