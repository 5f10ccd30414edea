import { type Plant } from '../plants.js';

/** Faults in the way batches are paid: each must be found. */
export const BATCH_PLANTS: readonly Plant[] = [
  {
    name: 'a batch that ends while lines are being sent',
    mode: 'postgres',
    file: 'lib/batches/jobs/end-batch.ts',
    from: "if (linesIn(counts, 'checked') + linesIn(counts, 'sending') > 0) return;",
    to: "if (linesIn(counts, 'checked') > 0) return;",
    found: /is sending at the end/,
  },
  {
    name: 'another key after an unknown payout',
    mode: 'postgres',
    file: 'lib/journal/payment/repeated-call.ts',
    from: "return { act: 'unknown', evidence: evidenceOf(existing) };",
    to: "return { act: 'begin', attempt: record.attempt + 1 };",
    found: /was sent under another key though it may have been paid/,
  },
];
