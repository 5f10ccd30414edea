// Plays the random stories in their large size. `--runs` says how many; `--seed`, and `--path` where a run found a
// counterexample, play the same ones again.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3000' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
});
for (const [name, value] of Object.entries(values)) process.env[`MODEL_${name.toUpperCase()}`] = value;

const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
const { status } = spawnSync(process.execPath, [...jest, 'test/model'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
