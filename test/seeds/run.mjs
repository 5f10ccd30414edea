// Plays a merchant's whole day against the emulator's adversarial profile. `--seeds` says under how many seeds, `--first`
// which one comes first: `npm run test:seeds -- --seeds 1 --first 17` plays seed 17 again.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '20' }, first: { type: 'string', default: '1' } },
});
for (const [name, value] of Object.entries(values)) process.env[`SANDBOX_${name.toUpperCase()}`] = value;

const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
const { status } = spawnSync(process.execPath, [...jest, 'test/seeds'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
