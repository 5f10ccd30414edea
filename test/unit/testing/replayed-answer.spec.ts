import { describe, expect, it } from 'vitest';
import { replayedBody } from '../../../lib/testing/replayed-answer.js';

const NOW = new Date('2026-11-26T10:00:00.000Z');
const replayed = (data: unknown, request = {}): unknown => replayedBody({ data }, request, NOW)['data'];

describe('a recorded body', () => {
  it.each([
    ['echoes the request', { remarks: '…' }, { remarks: 'Salary' }, { remarks: 'Salary' }],
    [
      'calls the phone as the request does',
      { customer_phone: '…' },
      { phone: '255' },
      { customer_phone: '255' },
    ],
    ['makes up what the request does not say', { bank_name: '…' }, {}, { bank_name: 'recorded bank_name' }],
    ['has the time of the answer', { created_at: '…' }, {}, { created_at: '2026-11-26T10:00:00.000Z' }],
    [
      'keeps what was recorded',
      { status: 'pending', metadata: null },
      {},
      { status: 'pending', metadata: null },
    ],
    ['fills lists', [{ name: '…' }], {}, [{ name: 'recorded name' }]],
  ])('%s', (_, data, request, expected) => {
    expect(replayed(data, request)).toEqual(expected);
  });

  it('has the amounts of the request, in the recorded types, with the recorded fee', () => {
    const collection = { reference: '…', amount: '1.00', fee: 0.02, net_amount: 0.98 };
    expect(replayed(collection, { reference: 'order-1', amount: 15000.5 })).toEqual({
      reference: 'order-1',
      amount: '15000.50',
      fee: 0.02,
      net_amount: 15000.48,
    });
    const payout = { amount: 1, fee: '500.00', total_amount: '501.00' };
    expect(replayed(payout, { amount: '250000' })).toEqual({
      amount: 250_000,
      fee: '500.00',
      total_amount: '250500.00',
    });
  });

  it.each([
    ['0', '15000.50', '15000.50'],
    [0, '15000.50', '15000.50'],
    ['0.00', '15000.50', '15000.50'],
    ['500.0000', '14500.50', '15500.50'],
    ['-0.50', '15001.00', '15000.00'],
    [null, '15000.50', '15000.50'],
  ])('has the sums of a request with a recorded fee of %j', (fee, net, total) => {
    const recorded = { amount: '1.00', fee, net_amount: '1.00', total_amount: '1.00' };
    expect(replayed(recorded, { amount: '15000.50' })).toEqual({
      amount: '15000.50',
      fee,
      net_amount: net,
      total_amount: total,
    });
  });

  it.each([null, 1.005, 'much', {}, [5]])(
    'has the recorded sums if nobody can read the amount: %j',
    (amount) => {
      const recorded = { reference: '…', amount: '1.00', fee: '0.02', net_amount: '0.98' };
      expect(replayed(recorded, { reference: 'order-1', amount })).toEqual({
        ...recorded,
        reference: 'order-1',
      });
    },
  );

  it('keeps balances, which are about no request', () => {
    expect(replayed({ balance: 5, currency: 'TZS' }, { amount: 7 })).toEqual({ balance: 5, currency: 'TZS' });
  });

  it('keeps a refusal as it was, but for its texts', () => {
    const body = { success: false, code: 'INVALID_BANK', message: '…' };
    expect(replayedBody(body, {}, NOW)).toEqual({ ...body, message: 'recorded message' });
  });
});
