// The command that Stryker runs in its copy of the project: without a mutant once, to see which spec file runs into
// which mutant; then for each mutant the spec files that run into it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coveringSpecs, type SpecCoverage } from './covering-specs.js';

const coverageFolder = process.env['MUTANTS_COVERAGE'] ?? '';
const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];

/** Instrumented code is slow, on a busy machine above all: a test that ran out of time would count as one that noticed. */
const PATIENT = ['--testTimeout', '60000', '--hookTimeout', '60000'];

process.exitCode = mutant === undefined ? measureCoverage() : runCovering(mutant);

function measureCoverage(): number {
  const folders = JSON.parse(process.env['MUTANTS_SPECS'] ?? '[]') as string[];
  const status = runVitest(['--config', 'test/mutants/vitest.config.ts', ...folders], 'inherit');
  // The way in which a mutant is run has to pass without one: else every mutant would count as noticed.
  const anyMutant = readCoverage().flatMap(({ mutants }) => mutants)[0];
  return status !== 0 || anyMutant === undefined ? status : runCovering(anyMutant);
}

function runCovering(id: string): number {
  for (const { specs, durationMs, isUnit } of coveringSpecs(readCoverage(), id)) {
    const config = isUnit ? ['--config', 'test/mutants/vitest.unit.config.ts'] : [];
    // A fault that makes an endless loop is noticed too.
    const limitMs = 60_000 + 5 * Math.ceil(durationMs);
    const status = runVitest(['--bail', '1', ...config, ...specs], 'ignore', limitMs);
    if (status !== 0) return status;
  }
  return 0;
}

function readCoverage(): SpecCoverage[] {
  return readdirSync(coverageFolder).map(
    (file) => JSON.parse(readFileSync(join(coverageFolder, file), 'utf8')) as SpecCoverage,
  );
}

function runVitest(args: readonly string[], stdio: 'inherit' | 'ignore', timeout?: number): number {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers', '1', ...PATIENT, ...args],
    { stdio, timeout, killSignal: 'SIGKILL' },
  );
  return status ?? 1;
}
