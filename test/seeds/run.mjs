// Plays a merchant's whole day against the emulator's adversarial profile. `--seeds` says under how many seeds, `--first`
// which one comes first: `npm run test:seeds -- --seeds 1 --first 17` plays seed 17 again.
import { runJest } from '../support/run-jest.mjs';

runJest('test/seeds', 'SANDBOX', { seeds: '20', first: '1' });
