import { expect, it } from 'vitest';
import { type BatchAccount } from '../../../../lib/batches/batch/batch-accounts.js';
import { loadBatch } from '../../../../lib/batches/loading/load-batch.js';
import { resolvePolicy } from '../../../../lib/batches/policy/batch-policy.js';

/** Nothing of it may be read for a batch that is refused by its name. */
const ACCOUNT = {} as BatchAccount;

it.each([
  ['2026.11', 'must be 1 to 64 letters, digits, dashes and underscores, the first one a letter or digit'],
  ['undefined', 'is the text "undefined": the id was missing where it was made'],
  ['payroll-undefined', 'holds the text "undefined": the id was missing where it was made'],
])('a batch is not loaded as %s, and the message says why', async (batch, problem) => {
  const wanted = { batch, lines: [], by: 'maker', again: [], policy: resolvePolicy({}) };
  await expect(loadBatch(ACCOUNT, wanted)).rejects.toMatchObject({
    name: 'PaymentsValidationError',
    errors: { batch: [`the name of a batch ${problem}`] },
  });
});
