// Plays the random stories of batches in their large size. `--runs` says how many; `--seed`, and `--path` after a run found a
// counterexample, play the same ones again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/model/batches', 'BATCHES', { runs: '300', seed: undefined, path: undefined });
