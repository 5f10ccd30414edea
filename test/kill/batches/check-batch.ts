import { type LineState } from 'nestjs-payments/batches';
import { type Line } from '../history.js';
import { type BatchSize } from './batch-plan.js';

/** A payout as the gateway received it. */
export interface PayoutRequest {
  readonly reference: string;
  readonly key: string;
  /** Null: its answer was lost. */
  readonly status: number | null;
}

/** What is known of a batch after it has ended. */
export interface BatchEvidence {
  /** The references of all lines that were loaded. */
  readonly references: readonly string[];
  /** As the batch tells it. */
  readonly states: ReadonlyMap<string, LineState>;
  /** The references in the gateway's ledger, each as often as it was paid. */
  readonly paid: readonly string[];
  /** In the order in which the gateway received them. */
  readonly requests: readonly PayoutRequest[];
  /** By time. */
  readonly history: readonly Line[];
}

/** What must never happen to a line, whichever process dies and whatever is lost on the way. */
export function checkBatch({
  references,
  states,
  paid,
  requests,
  history,
}: BatchEvidence): readonly string[] {
  const effects = countsOf(paid);
  const sent = new Map<string, PayoutRequest[]>();
  for (const request of requests) {
    const earlier = sent.get(request.reference);
    if (earlier) earlier.push(request);
    else sent.set(request.reference, [request]);
  }
  const cut = cutOff(history);
  const known = new Set(references);
  const strangers = [...effects.keys(), ...states.keys()].filter((reference) => !known.has(reference));
  const faults = references.flatMap((reference) => {
    const own = sent.get(reference) ?? [];
    const isLost = cut.has(reference) || own.some(({ status }) => status === null);
    return [
      ...effectFaults(effects.get(reference) ?? 0, states.get(reference)),
      ...(states.get(reference) === 'unknown' && !isLost ? ['is unknown though no answer was lost'] : []),
      ...(sentTwice(own) ? ['was sent under another key though it may have been paid'] : []),
    ].map((fault) => `${reference} ${fault}`);
  });
  return [...strangers.map((reference) => `${reference} is in no line that was loaded`), ...faults];
}

/**
 * Trouble that must happen, or the run proves less than it says. A kill waits until its replica listens, so the batch may
 * end before the last ones.
 */
export function missingBatchTroubles(
  { kills, restarts }: Pick<BatchSize, 'kills' | 'restarts'>,
  history: readonly Line[],
): readonly string[] {
  const killed = history.filter((line) => line.what === 'killed' && line.point !== 'at the end').length;
  const restarted = history.filter(({ what }) => what === 'storage up').length;
  return [
    ...(killed >= kills / 2 ? [] : [`only ${killed} of ${kills} kills happened`]),
    ...(restarted === restarts ? [] : [`${restarted} instead of ${restarts} crashes of the storage`]),
  ];
}

function effectFaults(effects: number, state: LineState | undefined): readonly string[] {
  const told = state ?? 'missing';
  return [
    ...(effects > 1 ? [`was paid ${effects} times`] : []),
    ...(told === 'accepted' && effects === 0 ? ['is accepted and was not paid'] : []),
    ...(told === 'refused' && effects > 0 ? ['is refused and was paid'] : []),
    ...(['accepted', 'refused', 'unknown'].includes(told) ? [] : [`is ${told} at the end`]),
  ];
}

/** Only a definite refusal allows another key. */
export function sentTwice(requests: readonly PayoutRequest[]): boolean {
  return requests.some(({ key, status }, index) => {
    const next = requests.slice(index + 1).some((later) => later.key !== key);
    return next && !isRefusal(status);
  });
}

function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 409;
}

/** Payments whose answer nobody wrote down: their process died, or the storage was away. */
function cutOff(history: readonly Line[]): ReadonlySet<string> {
  const dead = new Set(history.flatMap((line) => (line.what === 'killed' ? [line.life] : [])));
  const open = new Map<string, Set<string>>();
  const lost = new Set<string>();
  for (const line of history) {
    if (line.what === 'journal away') lost.add(line.reference);
    if (line.what === 'begun')
      open.set(line.reference, (open.get(line.reference) ?? new Set()).add(line.life));
    if (line.what === 'known') open.get(line.reference)?.delete(line.life);
  }
  for (const [reference, lives] of open) {
    if ([...lives].some((life) => dead.has(life))) lost.add(reference);
  }
  return lost;
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
