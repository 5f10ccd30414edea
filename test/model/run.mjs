// Plays the random stories in their large size. `--runs` says how many; `--seed`, and `--path` where a run found a
// counterexample, play the same ones again.
import { runJest } from '../support/run-jest.mjs';

runJest('test/model', 'MODEL', { runs: '3000', seed: undefined, path: undefined });
