// Plants faults in `lib/`, one at a time, and counts which of them a test notices.
// `npm run test:mutants -- lib/webhooks/schemes --sample 60 --seed 7 --threshold 95`
import { runBundled } from '../support/run-bundled.mjs';

const beside = ['run-specs', 'sample-checker', 'progress-reporter'];
await runBundled(
  'test/mutants/main.ts',
  beside.map((name) => `test/mutants/${name}.ts`),
);
