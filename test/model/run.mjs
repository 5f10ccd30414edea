// Plays the random stories in their large size. `--storage memory|postgres|redis` says where; `--runs` how many; `--seed`,
// and `--path` after a run found a counterexample, play the same ones again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/model/money-safety', 'MODEL', {
  storage: 'memory',
  runs: process.argv.some((word) => /^--storage=?(postgres|redis)?$/.test(word)) ? '300' : '3000',
  seed: undefined,
  path: undefined,
});
