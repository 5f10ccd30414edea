import { describe, expect, it } from 'vitest';
import { recordingOf } from '../../../../../lib/cli/conformance/report/recording-of.js';

const AT = new Date('2026-11-26T10:00:00.000Z');
const exchange = (operation: string, body: Readonly<Record<string, unknown>>, status = 200) => ({
  operation,
  status,
  body,
});

describe('the recording of a run', () => {
  it('has the first answer of each operation and code', () => {
    const paid = exchange('POST /disbursements/bank', { code: 'DISBURSEMENT_INITIATED', data: { fee: 1 } });
    const refused = exchange('POST /disbursements/bank', { code: 'INVALID_BANK' }, 422);
    const fields = exchange('POST /disbursements/bank', { errors: { amount: ['…'] } }, 422);
    const others = exchange('POST /disbursements/bank', { errors: { phone: ['…'] } }, 422);
    const elsewhere = exchange('POST /disbursements/mobile-money', { code: 'INVALID_BANK' }, 422);
    const again = exchange('POST /disbursements/bank', { code: 'DISBURSEMENT_INITIATED', data: { fee: 2 } });
    expect(recordingOf([paid, refused, fields, again, others, elsewhere, refused], AT)).toEqual({
      version: 1,
      recordedAt: '2026-11-26T10:00:00.000Z',
      exchanges: [paid, refused, fields, others, elsewhere],
    });
  });

  it('has the first lookup of each channel, however the gateway calls it', () => {
    const lookup = (data: Readonly<Record<string, unknown>>) =>
      exchange('POST /disbursements/name-lookup', { code: 'ACCOUNT_VERIFIED', data });
    const bank = lookup({ channel: 'BANK', bank_name: '…' });
    const again = lookup({ channel: 'BANK', bank_name: '…' });
    const mobile = lookup({ type: 'MOBILE_MONEY', network: '…' });
    const unnamed = lookup({ channel: '…' });
    const recorded = recordingOf([bank, again, mobile, unnamed], AT).exchanges;
    expect(recorded).toEqual([bank, mobile, unnamed]);
  });
});
