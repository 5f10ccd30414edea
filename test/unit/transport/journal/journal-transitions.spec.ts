import { describe, expect, it } from '@jest/globals';
import { type JournalRecord } from '../../../../lib/common/journal-port.js';
import {
  accepted,
  erased,
  probing,
  rejected,
  settled,
  unknown,
} from '../../../../lib/transport/journal/journal-transitions.js';
import { journalRecord } from '../../../support/journal-contract.js';

const record = (change: Partial<JournalRecord> = {}): JournalRecord => journalRecord('order-1', change);
const SPENT = ['body', 'probe', 'evidence'] as const;

describe('what is written down of a payment', () => {
  it.each([
    ['accepted', accepted(record({ state: 'unknown', evidence: 'no-answer' }), '{}')],
    ['rejected', rejected(record())],
    ['settled', settled(record({ state: 'unknown', evidence: 'no-answer' }), 'success', 'webhook')],
  ] as const)('once it is %s holds no request, no open probe and no doubt', (state, next) => {
    expect(next.state).toBe(state);
    for (const field of SPENT) expect(next).not.toHaveProperty(field);
  });

  it('never goes back from its end: an answer that comes later is only kept', () => {
    const ended = settled(record(), 'failed', 'webhook');
    expect(accepted(ended, '{"late":true}')).toEqual({ ...ended, answer: '{"late":true}' });
    expect(unknown(ended, 'no-answer', 'after-silence')).toBe(ended);
  });

  it('is what was said of it last', () => {
    const first = settled(accepted(record(), '{"first":true}'), 'failed', 'operator');
    expect(settled(first, 'success', 'webhook')).toEqual({
      ...first,
      outcome: 'success',
      settledBy: 'webhook',
    });
    expect(accepted(first, '{"second":true}').answer).toBe('{"second":true}');
    expect(accepted(first)).toEqual(first);
  });

  it('never becomes doubtful once it was accepted or refused', () => {
    for (const known of [accepted(record(), '{}'), rejected(record())])
      expect(unknown(known, 'no-answer', undefined)).toBe(known);
  });

  it('keeps its request while it may be sent once more', () => {
    expect(unknown(record(), 'server-error', 'after-answer')).toMatchObject({
      state: 'unknown',
      evidence: 'server-error',
      probe: 'after-answer',
      body: record().body,
    });
  });

  it('has no probe left once it leaves, though the request is still there', () => {
    const leaving = probing(record(), 'interrupted');
    expect(leaving).toMatchObject({ state: 'unknown', evidence: 'interrupted', body: record().body });
    expect(leaving).not.toHaveProperty('probe');
  });

  it('can lose its request and nothing else', () => {
    const { body: _body, probe: _probe, ...rest } = record();
    expect(erased(record())).toEqual(rest);
  });
});
