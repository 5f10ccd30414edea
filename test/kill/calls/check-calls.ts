import { type Line } from '../history.js';

type LineOf<What extends Line['what']> = Extract<Line, { readonly what: What }>;

/** What is known after a run. */
export interface CallEvidence {
  readonly references: readonly string[];
  /** Those among them that were to be taken over from a process that stood still. */
  readonly fenced: readonly string[];
  /** By time. */
  readonly lines: readonly Line[];
  /** The state of each payment in the journal at the end; absent: it is not there. */
  readonly states: ReadonlyMap<string, string>;
  /** What `unresolved()` lists at the end. */
  readonly unresolved: ReadonlySet<string>;
}

/** What must never happen to a payment, whichever process dies and whatever is lost on the way. */
export function checkCalls({ references, fenced, lines, states, unresolved }: CallEvidence): string[] {
  const killedAt = new Map(all(lines, 'killed').map(({ life, at }) => [life, at]));
  return references.flatMap((reference) => {
    const own = lines.filter((line) => 'reference' in line && line.reference === reference);
    const moved = all(own, 'moved');
    const told = all(own, 'told');
    const state = states.get(reference);
    const isListed = unresolved.has(reference);
    const isOpen =
      told.some(({ said }) => said === 'unknown' || said === 'in flight') &&
      state !== undefined &&
      !isEnded(state);
    return [
      ...(moved.length === 0 && fenced.includes(reference) ? ['was taken over by nobody'] : []),
      ...(moved.length > 1 ? [`has ${moved.length} effects`] : []),
      ...told.flatMap((each) => toldFaults(each, own, killedAt)),
      ...(moved.length > 0 && state === undefined
        ? ['has an effect, and the journal does not know of it']
        : []),
      ...(moved.length > 0 && state === 'rejected'
        ? ['has an effect, and the journal calls it rejected']
        : []),
      ...(isOpen && !isListed ? [`is ${state} and nobody lists it`] : []),
      ...(moved.length === 0 && state === 'accepted'
        ? ['has no effect, and the journal calls it accepted']
        : []),
    ].map((fault) => `${reference} ${fault}`);
  });
}

/** How often a replica is killed, or stands still, by plan. */
export interface CallTroubles {
  readonly kills: number;
  readonly stalls: number;
}

/** Every planned trouble must happen, or the run proves less than it says. */
export function missingCallTroubles({ kills, stalls }: CallTroubles, lines: readonly Line[]): string[] {
  const random = (what: 'killed' | 'stopped'): number =>
    all(lines, what).filter(({ point }) => point === 'at random').length;
  return [
    ...(random('killed') === kills ? [] : [`${random('killed')} instead of ${kills} kills at random`]),
    ...(random('stopped') === stalls ? [] : [`${random('stopped')} instead of ${stalls} stops at random`]),
    ...(lines.some(({ what }) => what === 'journal broken')
      ? []
      : ['the network broke no request of the journal']),
  ];
}

function isEnded(state: string): boolean {
  return state === 'accepted' || state === 'settled' || state === 'rejected';
}

/** Whether the result of a caller was true of its own call, and stayed true until somebody asked again. */
function toldFaults(
  { said, at, call: toldCall }: LineOf<'told'>,
  own: readonly Line[],
  killedAt: ReadonlyMap<string, number>,
): string[] {
  const moved = all(own, 'moved');
  const begunAt = all(own, 'calling').find(({ call }) => call === toldCall)?.at ?? at;
  // A caller that waited in vain asks again beside the call that stands still: the effect may be of that one.
  const runsBeside = ({ call, life, at: calledAt }: LineOf<'calling'>, effectAt: number): boolean => {
    const endAt = all(own, 'told').find((told) => told.call === call)?.at ?? killedAt.get(life) ?? Infinity;
    return call !== toldCall && calledAt < effectAt && endAt > begunAt;
  };
  if (said === 'accepted')
    return moved.some((effect) => effect.at < at) ? [] : ['was accepted without an effect'];
  if (said !== 'rejected' && said !== 'not sent' && said !== 'not by this call') return [];
  const isItsOwn = (effect: Line): boolean =>
    effect.at < at && !all(own, 'calling').some((other) => runsBeside(other, effect.at));
  if (said !== 'not by this call' && moved.some(isItsOwn)) return [`was called ${said} after its effect`];
  const isCause = ({ call, life, at: calledAt }: LineOf<'calling'>): boolean => {
    if (call === toldCall) return false;
    const end = all(own, 'told').find((told) => told.call === call);
    // Another call may have made it, if the answer is only about this one.
    if (said === 'not by this call')
      return end === undefined || end.said === 'unknown' || end.said === 'accepted';
    // A later call, or one that ran beside it in a process that was alive.
    return calledAt > at || ((end?.at ?? Infinity) > at && (killedAt.get(life) ?? Infinity) > at);
  };
  // Of an earlier effect it was said above whose it is.
  const unexplained = said === 'not by this call' ? moved : moved.filter((effect) => effect.at > at);
  return unexplained.length > 0 && !all(own, 'calling').some(isCause)
    ? [`was called ${said} before an effect that nobody asked for`]
    : [];
}

function all<What extends Line['what']>(lines: readonly Line[], what: What): LineOf<What>[] {
  return lines.filter((line): line is LineOf<What> => line.what === what);
}
