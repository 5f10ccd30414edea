import { LINE_STATES, type LineChange, type LineState } from '../batch-store.js';

/** What the storage knows of a line that is to be changed. */
export interface ChangedLine {
  readonly number: number;
  readonly state: LineState;
  readonly cents: number;
  readonly updatedAt: number;
}

/** What is added to the count of a state; less than 0 if lines leave it. */
export interface CountDelta {
  readonly state: LineState;
  readonly lines: number;
  readonly cents: bigint;
}

/** What changes of lines write. */
export interface ChangePlan {
  readonly changes: readonly LineChange[];
  /** In the order of the states, so that two changes never wait for each other. */
  readonly deltas: readonly CountDelta[];
}

/** Takes those changes whose line is in a state that they allow. */
export function planChanges(found: readonly ChangedLine[], changes: readonly LineChange[]): ChangePlan {
  const lines = new Map(found.map((line) => [line.number, line]));
  const deltas = new Map<LineState, CountDelta>(
    LINE_STATES.map((state) => [state, { state, lines: 0, cents: 0n }]),
  );
  const count = (state: LineState, more: number, cents: bigint): void => {
    const before = deltas.get(state) ?? { lines: 0, cents: 0n };
    deltas.set(state, { state, lines: before.lines + more, cents: before.cents + cents });
  };
  const made = changes.filter(({ number, from, to, at }) => {
    const line = lines.get(number);
    if (!line || !from.includes(line.state)) return false;
    if (at !== undefined && at !== line.updatedAt) return false;
    count(line.state, -1, -BigInt(line.cents));
    count(to, 1, BigInt(line.cents));
    return true;
  });
  return {
    changes: made,
    deltas: [...deltas.values()].filter((delta) => delta.lines !== 0 || delta.cents !== 0n),
  };
}
