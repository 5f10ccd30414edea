import { EXIT, type ExitCode } from '../exit-code.js';
import { type LineResult, type LineState } from './line-state.js';

export type StateCounts = ReadonlyMap<LineState, number>;

/** Counts the lines in each state. */
export function countStates(results: Iterable<LineResult>): StateCounts {
  const counts = new Map<LineState, number>();
  for (const { state } of results) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/**
 * Unknown lines come first: a script that reads only the exit code must not overlook money that may have
 * moved.
 */
export function exitCodeOf(counts: StateCounts): ExitCode {
  if (counts.has('unknown')) return EXIT.unknown;
  if (counts.has('not-sent')) return EXIT.stopped;
  if (counts.has('refused') || counts.has('failed') || counts.has('cancelled')) return EXIT.refused;
  return EXIT.fine;
}

/** What the operator can do next. */
export function adviceOn(counts: StateCounts): readonly string[] {
  return [
    counts.has('unknown')
      ? [
          'Unknown is neither paid nor failed: never pay it another way. After two minutes the same command asks again;',
          'if the gateway has it already, ask its support and write the answer down with payroll settle.',
        ]
      : [],
    counts.has('not-sent') ? ['The same command sends the rest.'] : [],
    counts.has('refused') ? ['What was refused moved no money: correct its line, check and pay again.'] : [],
  ].flat();
}
