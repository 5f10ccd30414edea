// Plays a merchant's whole day against the emulator's adversarial profile. `--seeds` says under how many seeds, `--first`
// which one comes first: `npm run test:seeds -- --seeds 1 --first 17` plays seed 17 again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/seeds', 'SANDBOX', { seeds: '20', first: '1' });
