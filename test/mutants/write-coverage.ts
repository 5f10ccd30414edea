import { writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type SpecCoverage } from './covering-specs.js';

interface StrykerGlobal {
  readonly __stryker__?: { readonly mutantCoverage?: { readonly static: Record<string, number> } };
}

const startedAt = performance.now();

// Writes down which mutants the code of a spec file ran into.
afterAll(() => {
  const { testPath = '' } = expect.getState();
  const covered = (globalThis as StrykerGlobal).__stryker__?.mutantCoverage?.static ?? {};
  const coverage: SpecCoverage = {
    spec: relative(process.cwd(), testPath).replaceAll('\\', '/'),
    durationMs: performance.now() - startedAt,
    mutants: Object.keys(covered),
  };
  const folder = process.env['MUTANTS_COVERAGE'] ?? '';
  writeFileSync(
    join(folder, `${basename(testPath)}-${process.hrtime.bigint()}.json`),
    JSON.stringify(coverage),
  );
});
