import { expect, it } from 'vitest';
import { isUntouched } from '../../../../lib/journal/payment/journal-transitions.js';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';

const failed = { intent: 'one', state: 'settled', outcome: 'failed', settledBy: 'operator' } as JournalRecord;

it('a record that nobody has acted on is untouched', () => {
  expect(isUntouched({ ...failed }, failed)).toBe(true);
});

it.each<[what: string, change: Partial<JournalRecord>]>([
  ['another call wrote it', { intent: 'two' }],
  ['it was opened again', { state: 'unknown' }],
  ['it has another outcome', { outcome: 'expired' }],
  ['a webhook confirmed what an operator wrote', { settledBy: 'webhook' }],
  ['the gateway acknowledged it', { acknowledged: true }],
])('a record is not untouched if %s', (_, change) => {
  expect(isUntouched({ ...failed, ...change }, failed)).toBe(false);
});
