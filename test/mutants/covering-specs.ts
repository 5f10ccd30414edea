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
}

const KINDS = ['test/unit/', 'test/integration/', 'test/'];

/** The spec files that ran into a mutant, the quick kind first. */
export function coveringSpecs(coverage: readonly SpecCoverage[], mutant: string): SpecBatch[] {
  const covering = coverage.filter(({ mutants }) => mutants.includes(mutant));
  return KINDS.map((kind) => covering.filter(({ spec }) => kindOf(spec) === kind))
    .filter((batch) => batch.length > 0)
    .map((batch) => ({
      specs: batch.map(({ spec }) => spec),
      durationMs: batch.reduce((sum, { durationMs }) => sum + durationMs, 0),
    }));
}

function kindOf(spec: string): string | undefined {
  return KINDS.find((kind) => spec.startsWith(kind));
}
