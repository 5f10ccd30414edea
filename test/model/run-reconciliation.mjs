// Lives through seeded months of a shop and closes each of their days. `--runs` says how many; `--seed` lives through the same ones
// again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/model/reconciliation', 'MONTHS', { runs: '1000', seed: undefined });
