import { expect, it } from 'vitest';
import { type BatchProgress } from '../../../../lib/batches/index.js';
import { exitCodeOf, unknownLines } from '../../../../lib/cli/payout/exit-code.js';

type State = BatchProgress['state'];

function progress(state: State, counts: Readonly<Record<string, number>>): BatchProgress {
  const sums = Object.entries(counts).map(([name, lines]) => [name, { lines, amount: '1.00' }] as const);
  return { state, total: { lines: 9, amount: '9.00' }, byState: Object.fromEntries(sums) };
}

it.each<[State, Readonly<Record<string, number>>, unknown: number, code: number]>([
  ['approved', { checked: 9 }, 0, 4],
  ['running', { accepted: 5, sending: 4 }, 0, 4],
  ['running', { unknown: 1, checked: 8 }, 1, 3],
  ['paused', { unknown: 2, refused: 1 }, 2, 3],
  ['ended', { accepted: 5, paid: 4 }, 0, 0],
  ['ended', { accepted: 8, refused: 1 }, 0, 5],
  ['ended', { accepted: 8, blocked: 1 }, 0, 5],
  ['ended', { accepted: 8, waiting: 1 }, 0, 5],
  ['ended', { accepted: 8, checked: 1 }, 0, 5],
  ['ended', { unknown: 1, refused: 8 }, 1, 3],
  ['ended', { accepted: 6, unknown: 1, sending: 2 }, 3, 3],
  ['cancelled', { checked: 9 }, 0, 4],
  ['cancelled', { unknown: 1, checked: 8 }, 1, 3],
  ['cancelled', { sending: 2, checked: 7 }, 2, 3],
])('a batch that is %s with %o has %d unknown lines and the exit code %d', (state, counts, unknown, code) => {
  expect(unknownLines(progress(state, counts))).toBe(unknown);
  expect(exitCodeOf(progress(state, counts))).toBe(code);
});
