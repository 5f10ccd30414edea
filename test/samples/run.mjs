// Runs the tests of the samples as their users do: with the sample's own Jest configuration, on the built package. `npm test`
// runs the same specs on lib/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildWhatIsMissing } from '../../scripts/demo/build.mjs';

const CONFIGURATION = 'jest.config.js';

buildWhatIsMissing(console.log);
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
