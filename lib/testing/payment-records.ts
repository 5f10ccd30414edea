import { randomUUID } from 'node:crypto';
import { type CollectionPayment } from '../collections/collection-payment.js';
import { type BankDisbursement } from '../disbursements/bank-disbursement.js';
import { type MobileMoneyDisbursement } from '../disbursements/mobile-money-disbursement.js';
import { type PaymentsResponse, withLastResponse } from '../gateway/answer/wire-record.js';

/**
 * A complete result of `CollectionsService` with invented data, for tests that replace the service.
 *
 * @param data Fields to replace, by wire name.
 *
 * @example
 * ```ts
 * collections.mobileMoney.mockResolvedValue(collectionPayment({ reference: 'order-1', amount: '1180.50' }));
 * ```
 *
 * @publicApi
 */
export function collectionPayment(
  data: Partial<CollectionPayment> = {},
): PaymentsResponse<CollectionPayment> {
  const record: Readonly<CollectionPayment> = {
    merchant_id: 1,
    customer_name: 'Asha Mushi',
    customer_email: 'asha@example.com',
    customer_phone: '255700000001',
    reference: `order-${randomUUID()}`,
    amount: '1000.00',
    fee: '20.00',
    net_amount: '980.00',
    currency: 'TZS',
    source: 'api',
    payment_method: 'mobile_money',
    provider: 'provider-1',
    provider_reference: `provider-${randomUUID()}`,
    status: 'pending',
    metadata: null,
    created_at: new Date().toISOString(),
    processing_at: null,
    ...data,
  };
  return accepted(record, 'PAYMENT_INITIATED');
}

/**
 * A complete result of `DisbursementsService.bank` with invented data, for tests that replace the service.
 *
 * @param data Fields to replace, by wire name.
 *
 * @publicApi
 */
export function bankDisbursement(data: Partial<BankDisbursement> = {}): PaymentsResponse<BankDisbursement> {
  const record: Readonly<BankDisbursement> = {
    ...payout(),
    bank_code: 'ABC',
    bank_name: 'Able Bank',
    account_number: '0000000000001',
    account_name: 'Juma Hamisi',
    metadata: {},
    ...data,
  };
  return accepted(record, 'DISBURSEMENT_INITIATED');
}

/**
 * A complete result of `DisbursementsService.mobileMoney` with invented data, for tests that replace the
 * service.
 *
 * @param data Fields to replace, by wire name.
 *
 * @publicApi
 */
export function mobileMoneyDisbursement(
  data: Partial<MobileMoneyDisbursement> = {},
): PaymentsResponse<MobileMoneyDisbursement> {
  const record: Readonly<MobileMoneyDisbursement> = {
    ...payout(),
    recipient_name: 'Juma Hamisi',
    recipient_phone: '255700000001',
    channel: 'MOBILE_MONEY',
    network: 'NET_ONE',
    created_at: new Date().toISOString(),
    ...data,
  };
  return accepted(record, 'DISBURSEMENT_INITIATED');
}

const payout = () => ({
  reference: `payout-${randomUUID()}`,
  amount: '1000.00',
  fee: '500.00',
  total_amount: '1500.00',
  currency: 'TZS',
  provider: 'provider-1',
  status: 'processing',
  remarks: 'Made up',
});

/** The response after one successful try. */
function accepted<T extends object>(record: T, code: string): PaymentsResponse<T> {
  return withLastResponse(record, {
    requestId: randomUUID(),
    code,
    message: 'Made up',
    httpStatus: 200,
    idempotencyKey: randomUUID(),
    attempts: [{ number: 1, phase: 'answered', httpStatus: 200, code, durationMs: 1 }],
    warnings: [],
  });
}
