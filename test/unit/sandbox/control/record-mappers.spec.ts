import { expect, it } from 'vitest';
import { sandboxPayout } from '../../../../lib/sandbox/control/record-mappers.js';
import { WAITING } from '../../../../lib/sandbox/core/outcome-plan.js';
import { type Payout, type PayoutRecipient } from '../../../../lib/sandbox/core/payout.js';

const REQUEST = { reference: 'salary-1', amount: '1000.00', remarks: 'July' };
const METADATA = { team: 'A' };
const BANK: PayoutRecipient = {
  kind: 'bank',
  channel: 'ACB',
  fields: {
    bank_code: 'ACB',
    bank_name: 'Acacia Community Bank',
    account_number: '0123456789',
    account_name: 'Asha Mrema',
  },
};
const PHONE: PayoutRecipient = {
  kind: 'mobile-money',
  channel: 'VODACOM',
  fields: { recipient_name: 'Juma Kessy', recipient_phone: '255700000001', network: 'VODACOM' },
};
const payout = (recipient: PayoutRecipient, change: Partial<Payout> = {}): Payout => ({
  merchant: 'shop',
  request: REQUEST,
  recipient,
  amountCents: 100_000n,
  feeCents: 50_000n,
  createdAt: Date.UTC(2026, 0, 1),
  plan: WAITING,
  status: 'processing',
  settledAt: undefined,
  reason: undefined,
  ...change,
});

const RECORD = {
  merchant: 'shop',
  reason: null,
  reference: 'salary-1',
  amount: '1000.00',
  fee: '500.00',
  total_amount: '1500.00',
  currency: 'TZS',
  provider: 'SANDBOX',
  status: 'processing',
  remarks: 'July',
  metadata: {},
  created_at: '2026-01-01T00:00:00.000Z',
  settled_at: null,
};
const NO_BANK = { bank_code: null, bank_name: null, account_number: null, account_name: null };
const NO_WALLET = { recipient_name: null, recipient_phone: null, network: null };

it.each<[what: string, Payout, record: object]>([
  [
    'a bank account',
    payout(BANK),
    {
      ...RECORD,
      kind: 'bank',
      bank_code: 'ACB',
      bank_name: 'Acacia Community Bank',
      account_number: '0123456789',
      account_name: 'Asha Mrema',
      ...NO_WALLET,
    },
  ],
  [
    'a phone',
    payout(PHONE, {
      status: 'paid',
      settledAt: Date.UTC(2026, 0, 2),
      request: { ...REQUEST, metadata: METADATA },
    }),
    {
      ...RECORD,
      kind: 'mobile-money',
      status: 'paid',
      metadata: METADATA,
      settled_at: '2026-01-02T00:00:00.000Z',
      ...NO_BANK,
      recipient_name: 'Juma Kessy',
      recipient_phone: '255700000001',
      network: 'VODACOM',
    },
  ],
])('shows a payout to %s with all fields', (_, of, record) => {
  expect(sandboxPayout(of)).toEqual(record);
});

it('hands out no object that a test could change in the emulator', () => {
  const record = sandboxPayout(payout(PHONE, { request: { ...REQUEST, metadata: METADATA } }));
  expect(Object.isFrozen(record)).toBe(true);
  expect(record.metadata).toEqual(METADATA);
  expect(record.metadata).not.toBe(METADATA);
});
