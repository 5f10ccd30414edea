import { type MerchantProcess } from './merchant-process.js';
import { type PlannedCall } from './plan.js';

const PHONE = '255712345678';
const CUSTOMER = { phone: PHONE, customer_name: 'Asha Juma', customer_email: 'asha@example.com' };
const MOBILE = { recipient_phone: PHONE, recipient_name: 'Asha Juma', network: 'NET_ONE', remarks: 'Salary' };
export const BANK = {
  bank_code: 'BSB',
  account_number: '0123456789',
  account_name: 'Asha Juma',
  remarks: 'Salary',
};

/** Makes a planned call through the package's public face. */
export function sendPayment(
  { family, channel, reference, amount, options }: PlannedCall,
  { collections, disbursements }: Pick<MerchantProcess, 'collections' | 'disbursements'>,
  signal: AbortSignal,
): Promise<{ reference: string; amount: string }> {
  const callOptions = {
    signal,
    ...(options === 'once' && { retry: false as const }),
    ...(options === 'own key' && { idempotencyKey: `own-${family}-${reference}` }),
    ...(options === 'attempt 2' && { attempt: 2 }),
  };
  const payment = { reference, amount };
  if (family === 'collection') {
    const request = { ...payment, ...CUSTOMER };
    return channel === 0
      ? collections.mobileMoney(request, callOptions)
      : collections.partnerWallet(request, callOptions);
  }
  return channel === 0
    ? disbursements.bank({ ...payment, ...BANK }, callOptions)
    : disbursements.mobileMoney({ ...payment, ...MOBILE }, callOptions);
}
