// Builds the package and samples if they are missing or older than their sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const dist = join(root, 'dist');

const PACKAGE = {
  target: join(dist, 'cjs', 'package.json'),
  sources: [
    'lib',
    'scripts/build.mjs',
    'scripts/bundle.mjs',
    'scripts/generate.mjs',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ],
  command: ['scripts/build.mjs'],
};
/** A sample's folder. */
export const sampleFolder = (name) => join(root, 'sample', name);

/** @param tell Gets one line before something is built. */
export function buildWhatIsMissing(samples, tell) {
  const built = buildPackageIfMissing(tell);
  const stale = samples.map(sampleBuild).filter((build) => built || !isFresh(build));
  if (stale.length > 0 && !built) tell('Building …');
  for (const { command } of stale) run(command);
}

function sampleBuild(name) {
  const folder = join('sample', name);
  return {
    target: join(root, folder, 'dist', 'main.js'),
    sources: ['src', 'tsconfig.json', 'tsconfig.build.json'].map((path) => join(folder, path)),
    command: ['node_modules/typescript-native/bin/tsc', '-p', join(folder, 'tsconfig.build.json')],
  };
}

/**
 * Builds only the package.
 *
 * @returns Whether it was built.
 */
export function buildPackageIfMissing(tell) {
  const linked = existsSync(join(root, 'node_modules', 'nestjs-payments'));
  if (linked && isFresh(PACKAGE)) return false;
  tell('Building …');
  run(PACKAGE.command);
  return true;
}

function isFresh({ target, sources }) {
  if (!existsSync(target)) return false;
  const built = statSync(target).mtimeMs;
  return sources.every((source) => newest(join(root, source)) <= built);
}

function newest(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`\`node ${args.join(' ')}\` failed:\n${stdout}${stderr}`);
}
