import { describe, expect, it } from 'vitest';
import {
  type DisbursementsService,
  PaymentsAuthenticationError,
  PaymentsStorageError,
  PaymentsValidationError,
} from 'nestjs-payments';
import { type ApprovedLine } from '../src/pay/approved-lines.js';
import { LinePayer } from '../src/pay/line-payer.js';
import { type LineResult } from '../src/pay/line-state.js';

const UNKNOWN: LineResult = { state: 'unknown', detail: 'the answer was lost' };
const LINE: ApprovedLine = {
  row: {
    line: 2,
    reference: 'S-1',
    name: 'Asha Mushi',
    amount: '1000.00',
    recipient: { kind: 'bank', bankCode: 'BSB', account: '0150234567801' },
    remarks: undefined,
  },
  checked: {
    line: 2,
    reference: 'S-1',
    amount: '1000.00',
    recipient: '',
    name: 'same',
    holder: 'Asha Mushi',
  },
};

function payerThat(fails: Error): LinePayer {
  return new LinePayer({ bank: () => Promise.reject(fails) } as unknown as DisbursementsService);
}

describe('a line that is unknown', () => {
  it.each([
    new PaymentsStorageError('away', {}, 'not-by-this-call'),
    new PaymentsAuthenticationError('UNAUTHORIZED', 'no'),
    new PaymentsValidationError({ amount: ['no'] }),
  ])('stays so when it cannot be asked about: $name', async (error) => {
    const { result } = await payerThat(error).pay('2026-11', LINE, UNKNOWN);
    expect(result).toEqual(UNKNOWN);
    const { result: fresh } = await payerThat(error).pay('2026-11', LINE);
    expect(fresh.state).not.toBe('unknown');
  });
});
