// Plants faults into the code that handles money, one after the other, and expects the random stories to find each.
// `--runs` says how many stories at most, `--seed` which ones; `--only` takes a part of a fault's name.
import { runBundled } from '../support/run-bundled.mjs';

await runBundled('test/model/find-planted-faults.ts');
