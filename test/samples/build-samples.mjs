// Builds every sample with its own tsconfig against the built package, as a reader who copies one does, and holds its imports to
// its own package.json: in the repository the root's packages would hide one that is missing there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

const IN_PLACE = 'file:../..';
/** Its ORM is installed in `test/orms`: `npm run test:orms` compiles and runs it. */
const COMPILED_ELSEWHERE = ['07-typeorm-shop'];

/** The samples that use this folder's package; one that is installed from the tarball is among the consumers. */
export function samplesInPlace() {
  return readdirSync('sample')
    .filter((name) => existsSync(join('sample', name, 'package.json')))
    .filter((name) => dependenciesOf(name)['nestjs-payments'] === IN_PLACE);
}

/** @returns Whether it builds, and names what it imports. */
export function buildSample(name) {
  const missing = undeclaredPackages(name);
  for (const each of missing) console.error(`sample/${name}/package.json does not name ${each}.`);
  if (COMPILED_ELSEWHERE.includes(name)) return missing.length === 0;
  const config = join('sample', name, 'tsconfig.build.json');
  const compiler = join('node_modules', 'typescript-native', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', config], { stdio: 'inherit' });
  return status === 0 && missing.length === 0;
}

function dependenciesOf(name) {
  return JSON.parse(readFileSync(join('sample', name, 'package.json'), 'utf8')).dependencies;
}

function undeclaredPackages(sample) {
  const folder = join('sample', sample, 'src');
  const dependencies = dependenciesOf(sample);
  const sources = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const used = sources.flatMap((name) => packagesOf(readFileSync(join(folder, name), 'utf8')));
  return [...new Set(used)].filter((name) => !(name in dependencies)).sort();
}

function packagesOf(source) {
  return ts
    .preProcessFile(source)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => !name.startsWith('.') && !isBuiltin(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
}
