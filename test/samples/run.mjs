// Builds the samples against the built package, and runs the tests of those that have a Jest configuration of their own with
// that one. `npm test` runs the specs of all of them on lib/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackageIfMissing } from '../../scripts/demo/build.mjs';
import { buildSample, samplesInPlace } from './build-samples.mjs';

const CONFIGURATION = 'jest.config.js';

buildPackageIfMissing(console.log);
const built = samplesInPlace();
for (const name of built) {
  console.log(`${name}: building`);
  if (!buildSample(name)) process.exitCode = 1;
}
if (built.length === 0) throw new Error('No sample uses the package of this folder.');
const samples = readdirSync('sample').filter((name) => existsSync(join('sample', name, CONFIGURATION)));
for (const name of samples) {
  console.log(`\n${name}`);
  const { status } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join('node_modules', 'jest', 'bin', 'jest.js'),
      '--config',
      join('sample', name, CONFIGURATION),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
}
if (samples.length === 0) throw new Error(`No sample has a ${CONFIGURATION}.`);
