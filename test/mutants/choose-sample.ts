import { Random } from '../support/random.js';
import { type EquivalentMutant, isEquivalent, type Mutant } from './mutant.js';

/**
 * Takes mutants at equal distances in the order of the code, so that each folder and file is there by its size. The seed
 * chooses where the first one is. Equivalent mutants are left out before.
 */
export function chooseSample<M extends Mutant>(
  mutants: readonly M[],
  { size, seed, equivalents }: SampleOptions,
): M[] {
  const inOrder = mutants.filter((mutant) => !isEquivalent(mutant, equivalents)).sort(byPlace);
  if (inOrder.length <= size) return inOrder;
  const first = new Random(seed).below(inOrder.length);
  return Array.from(
    { length: size },
    (_, at) => (first + Math.floor((at * inOrder.length) / size)) % inOrder.length,
  )
    .sort((left, right) => left - right)
    .flatMap((place) => inOrder[place] ?? []);
}

export interface SampleOptions {
  readonly size: number;
  readonly seed: number;
  readonly equivalents: readonly EquivalentMutant[];
}

function byPlace(left: Mutant, right: Mutant): number {
  return (
    compare(left.file, right.file) ||
    left.line - right.line ||
    left.column - right.column ||
    compare(left.kind, right.kind) ||
    compare(left.became, right.became)
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
