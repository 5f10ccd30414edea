import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EquivalentMutant } from './mutant.js';
import { judgedMutants, shareNoticed, type StrykerReport, writeReport } from './report.js';
import { specFolders } from './spec-folders.js';

const STRYKER = 'test/mutants/node_modules/@stryker-mutator/core/bin/stryker.js';

interface Settings {
  readonly paths: readonly string[];
  readonly specs: readonly string[];
  readonly size: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly threshold: number;
}

/**
 * Runs Stryker, prints what it found.
 *
 * @param programs Folder of the bundled programs.
 * @returns The exit code: 1 below the threshold.
 */
export function main(args: readonly string[], programs: string): number {
  const settings = readSettings(args);
  // Outside of every node_modules, where loaders would take the copied sources for somebody's package.
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    return run(settings, programs, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(settings: Settings, programs: string, folder: string): number {
  const coverage = join(folder, 'coverage');
  mkdirSync(coverage);
  const report = join(folder, 'report.json');
  const config = join(folder, 'stryker.json');
  writeFileSync(config, JSON.stringify(strykerConfig(settings, { programs, folder, report })));
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', config], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, MUTANTS_COVERAGE: coverage, MUTANTS_SPECS: JSON.stringify(settings.specs) },
  });
  if (status !== 0) return status ?? 1;
  const mutants = judgedMutants(JSON.parse(readFileSync(report, 'utf8')) as StrykerReport);
  process.stdout.write(
    `\nSeed ${settings.seed}, specs of ${settings.specs.join(', ')}\n\n${writeReport(mutants)}\n`,
  );
  return shareNoticed(mutants) < settings.threshold ? 1 : 0;
}

function readSettings(args: readonly string[]): Settings {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
      concurrency: { type: 'string', default: '1' },
      threshold: { type: 'string', default: '0' },
      specs: { type: 'string', multiple: true },
    },
  });
  const paths = positionals.length > 0 ? positionals.map((path) => path.replace(/\/$/, '')) : ['lib'];
  return {
    paths,
    specs: values.specs ?? specFolders(paths, existsSync),
    size: wholeNumber('sample', values.sample),
    seed: wholeNumber('seed', values.seed),
    concurrency: wholeNumber('concurrency', values.concurrency),
    threshold: wholeNumber('threshold', values.threshold),
  };
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${option} must be a whole number, not '${text}'.`);
  return Number(text);
}

function strykerConfig(
  { paths, size, seed, concurrency }: Settings,
  { programs, folder, report }: Readonly<Record<'programs' | 'folder' | 'report', string>>,
): object {
  const files = paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
  const equivalents = JSON.parse(
    readFileSync('test/mutants/equivalents.json', 'utf8'),
  ) as readonly EquivalentMutant[];
  return {
    mutate: [...files, '!lib/**/*.generated.ts'],
    testRunner: 'command',
    commandRunner: { command: `"${process.execPath}" "${join(programs, 'run-specs.mjs')}"` },
    coverageAnalysis: 'off',
    checkers: ['sample'],
    plugins: ['sample-checker', 'progress-reporter'].map((name) => join(programs, `${name}.mjs`)),
    mutants: { root: process.cwd(), size, seed, equivalents },
    concurrency,
    // The command has a time limit for each mutant; Stryker's own comes from the run of all spec files.
    dryRunTimeoutMinutes: 60,
    tempDirName: join(folder, 'copy'),
    ignorePatterns: ['/bench', '/coverage', '/dist', '/site', '/test/consumers', '/test/skeletons'],
    reporters: ['json', 'sample-progress'],
    jsonReporter: { fileName: report },
    allowEmpty: false,
    warnings: { unknownOptions: false },
  };
}
