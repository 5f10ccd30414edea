import { describe, expect, it } from 'vitest';
import { intentText, readRecord } from '../../../lib/storage/stored-record.js';
import { journalRecord } from '../../support/journal-contract.js';

const RECORD = journalRecord('order-1');

describe('a record that a store kept as JSON', () => {
  it('is what it was', () => {
    expect(readRecord(JSON.stringify(RECORD), RECORD)).toEqual({ record: RECORD });
  });

  it.each<[damaged: string, kept: unknown]>([
    ['its record is no JSON object', '{"account":'],
    ['its record is no JSON object', '[]'],
    ['its record is no JSON object', 'null'],
    ...(['account', 'environment', 'family', 'reference', 'state', 'attempt'] as const).map(
      (field): [string, object] => [`its record names another ${field}`, { [field]: 'another' }],
    ),
    ...(['operation', 'amount', 'currency', 'idempotencyKey', 'intent', 'bodyHash'] as const).map(
      (field): [string, object] => [`its record has no ${field}`, { [field]: null }],
    ),
    ...(['body', 'answer', 'outcome', 'settledBy', 'evidence', 'probe'] as const).map(
      (field): [string, object] => [`its ${field} is no text`, { [field]: 1 }],
    ),
  ])('is damaged because %s: %j', (damaged, kept) => {
    const json = typeof kept === 'string' ? kept : JSON.stringify({ ...RECORD, ...(kept as object) });
    const { account, environment, family, reference, state, attempt } = RECORD;
    expect(readRecord(json, RECORD)).toMatchObject({
      damaged,
      // Nobody may make it again.
      record: { account, environment, family, reference, state, attempt, acknowledged: true },
    });
  });

  it('shows what can be read of it, and empty texts for the rest', () => {
    const { record } = readRecord(JSON.stringify({ ...RECORD, amount: 1_180.5 }), RECORD);
    expect(record).toMatchObject({ operation: RECORD.operation, amount: '', intent: RECORD.intent });
    expect(record).not.toHaveProperty('body');
  });
});

it.each(['a-call', 'a "call"', 'a\\call', ''])(
  'the text of the intent %j is a part of the JSON of its record',
  (intent) => {
    const json = JSON.stringify({ ...RECORD, intent });
    expect(json).toContain(`,${intentText({ intent })},`);
    expect(JSON.parse(`{${intentText({ intent })}}`)).toEqual({ intent });
  },
);
