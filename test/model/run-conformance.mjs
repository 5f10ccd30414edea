// Asks gateways whose facts are random. `--runs` says how many; `--seed` asks the same ones again.
import { runSpecs } from '../support/run-specs.mjs';

runSpecs('test/model/conformance', 'CONFORMANCE', { runs: '1000', seed: undefined });
