// Sends mutated webhooks to every signature scheme. `--runs` says how many; `--seed` sends the same ones again.
import { runJest } from '../support/run-jest.mjs';

runJest('test/fuzz', 'FUZZ', { runs: '1000000', seed: undefined });
