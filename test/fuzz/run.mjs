// Sends mutated webhooks to every signature scheme. `--runs` says how many; `--seed` sends the same ones again.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
  },
});
for (const [name, value] of Object.entries(values)) process.env[`FUZZ_${name.toUpperCase()}`] = value;

const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
const { status } = spawnSync(process.execPath, [...jest, 'test/fuzz'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
