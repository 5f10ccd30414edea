import { relative } from 'node:path';
import { oneLine } from './mutant.js';
import { isNoticed } from './report.js';

/** What Stryker tells of a mutant that it tested; its positions count from 1. */
interface TestedMutant {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: string;
  readonly location: { readonly start: { readonly line: number } };
}

interface ReporterOptions {
  readonly mutants: { readonly root: string };
}

/**
 * Writes a line for each sampled mutant at once, so that a long run can be read, and stopped, while it continues. Stryker's
 * own progress counts the mutants that are not in the sample.
 */
class ProgressReporter {
  static readonly inject = ['options'] as const;

  constructor(private readonly options: ReporterOptions) {}

  onMutantTested({ fileName, mutatorName, replacement, status, location }: TestedMutant): void {
    const noticed = isNoticed(status);
    if (noticed === undefined) return;
    const place = `${relative(this.options.mutants.root, fileName)}:${location.start.line}`;
    const became = oneLine(replacement);
    process.stdout.write(`${noticed ? 'noticed ' : 'SURVIVED'} ${place} ${mutatorName}: ${became}\n`);
  }
}

export const strykerPlugins = [
  { kind: 'Reporter', name: 'sample-progress', injectableClass: ProgressReporter },
];
