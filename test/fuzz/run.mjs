// Sends mutated webhooks to every signature scheme. `--runs` says how many; `--seed` sends the same ones again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/fuzz', 'FUZZ', { runs: '1000000', seed: undefined });
