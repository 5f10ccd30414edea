/** What one spec file ran into. */
export interface SpecCoverage {
  /** Path from the project's root, with `/`. */
  readonly spec: string;
  readonly durationMs: number;
  /** Stryker's ids. */
  readonly mutants: readonly string[];
}

/** Spec files to run together, and how long they took without a fault. */
export interface SpecBatch {
  readonly specs: readonly string[];
  readonly durationMs: number;
  readonly isUnit: boolean;
}

const UNIT = 'test/unit/';
const KINDS = [UNIT, 'test/integration/', 'test/'];

/** The spec files that ran into a mutant, the quick kind first. */
export function coveringSpecs(coverage: readonly SpecCoverage[], mutant: string): SpecBatch[] {
  const covering = coverage.filter(({ mutants }) => mutants.includes(mutant));
  return KINDS.flatMap((kind) => {
    const batch = covering.filter(({ spec }) => kindOf(spec) === kind);
    if (batch.length === 0) return [];
    const durationMs = batch.reduce((sum, spec) => sum + spec.durationMs, 0);
    return [{ specs: batch.map(({ spec }) => spec), durationMs, isUnit: kind === UNIT }];
  });
}

function kindOf(spec: string): string | undefined {
  return KINDS.find((kind) => spec.startsWith(kind));
}
