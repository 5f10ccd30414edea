import { describe, expect, it } from 'vitest';
import { dailyCapReached } from '../../../../lib/journal/payment/daily-caps.js';
import { journalRecord } from '../../../support/journal-contract.js';

describe('the error of a day without room', () => {
  it('says of a planned payment above a whole day that it waits for a larger cap', () => {
    const before = journalRecord('order-1', { state: 'planned' });
    expect(dailyCapReached(before, { reachedOn: 20_000, before, neverFits: true })).toMatchObject({
      code: 'DAILY_CAP_REACHED',
      mayHaveBeenProcessed: 'not-by-this-call',
      hint: expect.stringContaining('No day has room for this amount') as string,
    });
  });

  it('names the account', () => {
    const payment = journalRecord('order-1', { account: 'payouts' });
    const { message } = dailyCapReached(payment, { reachedOn: 20_000, before: undefined, neverFits: false });
    expect(message).toContain('the account "payouts" has reached its cap');
  });
});
