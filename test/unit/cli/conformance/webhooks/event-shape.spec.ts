import { describe, expect, it } from 'vitest';
import { shapeDifferences, toldName } from '../../../../../lib/cli/conformance/webhooks/event-shape.js';

const DATA = {
  reference: 'order-1',
  amount: '15000.00',
  currency: 'TZS',
  status: 'success',
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
  customer_phone: '255712345678',
  channel: 'NET_ONE',
  provider_reference: 'P1',
  metadata: null,
};
const EVENT = { event: 'payment.success', created_at: '2026-01-01T09:00:00.000Z', data: DATA };
const of = (event: unknown): readonly string[] => shapeDifferences(Buffer.from(JSON.stringify(event)));

describe('the form of an event', () => {
  it('is that of the specification', () => {
    expect(of(EVENT)).toEqual([]);
    expect(of({ ...EVENT, data: { ...DATA, metadata: { till: 2 } } })).toEqual([]);
  });

  it.each([
    [{ ...EVENT, created_at: '2026-01-01T09:00:00Z' }, 'created_at has another form (string)'],
    [{ ...EVENT, data: { ...DATA, amount: 15_000 } }, 'data.amount has another form (number)'],
    [{ ...EVENT, data: { ...DATA, amount: '15000' } }, 'data.amount has another form (string)'],
    [{ ...EVENT, data: { ...DATA, metadata: [] } }, 'data.metadata has another form (list)'],
    [{ ...EVENT, data: { ...DATA, channel: null } }, 'data.channel has another form (null)'],
    [{ ...EVENT, data: { ...DATA, channel: undefined } }, 'data.channel is missing'],
    [{ ...EVENT, data: { ...DATA, fee: 2 } }, 'data.fee is additional'],
    [{ ...EVENT, id: 'Asha' }, 'id is additional'],
    [{ ...EVENT, data: [] }, 'data has another form (list)'],
  ])('differs: %#', (event, difference) => {
    expect(of(event)).toEqual([difference]);
  });

  it('is none in what is no JSON object', () => {
    for (const text of ['', '[]', '{', 'null']) {
      expect(shapeDifferences(Buffer.from(text))).toEqual(['the body is no JSON object']);
    }
  });

  it('is told without a name that may be a text or a number of a person', () => {
    expect(['fee', 'x-odd', 'payment.paid', 'h2', 'sha256'].map(toldName)).toEqual([
      'fee',
      'x-odd',
      'payment.paid',
      'h2',
      'sha256',
    ]);
    const hidden = [
      'Asha Juma',
      '255712345678',
      'p255712345678',
      'asha@example.com',
      '',
      'a'.repeat(65),
      'a\u001b[2J',
    ];
    for (const name of hidden) expect(toldName(name)).toBe('an unusual name');
  });
});
