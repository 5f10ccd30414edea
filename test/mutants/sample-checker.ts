import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { chooseSample, type SampleOptions } from './choose-sample.js';
import { codeAt, type Mutant, oneLine } from './mutant.js';

/** What Stryker tells of a mutant; its positions count from 0. */
interface StrykerMutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: Record<'start' | 'end', { readonly line: number; readonly column: number }>;
}

interface CheckerOptions {
  readonly mutants: SampleOptions & { readonly root: string };
}

/**
 * Lets through the sampled mutants only. Stryker's checkers are there for mutants that do not compile; it has no other
 * place where a plugin may leave one out by itself.
 */
class SampleChecker {
  static readonly inject = ['options'] as const;

  constructor(private readonly options: CheckerOptions) {}

  async init(): Promise<void> {}

  /** All of them in one group, since a sample is taken of the whole. */
  group(mutants: readonly StrykerMutant[]): Promise<string[][]> {
    return Promise.resolve([mutants.map(({ id }) => id)]);
  }

  check(mutants: readonly StrykerMutant[]): Promise<Record<string, object>> {
    const described = mutants.map((mutant) => this.describe(mutant));
    const chosen = new Set(chooseSample(described, this.options.mutants).map(({ id }) => id));
    return Promise.resolve(
      Object.fromEntries(
        mutants.map(({ id }) => [
          id,
          chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' },
        ]),
      ),
    );
  }

  private describe({
    id,
    fileName,
    mutatorName,
    replacement,
    location,
  }: StrykerMutant): Mutant & { id: string } {
    const [start, end] = [location.start, location.end].map(({ line, column }) => ({
      line: line + 1,
      column: column + 1,
    })) as [Position, Position];
    return {
      id,
      file: relative(this.options.mutants.root, fileName).replaceAll('\\', '/'),
      ...start,
      kind: mutatorName,
      code: codeAt(readFileSync(fileName, 'utf8'), start, end),
      became: oneLine(replacement),
    };
  }
}

type Position = Pick<Mutant, 'line' | 'column'>;

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }];
