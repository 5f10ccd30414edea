/** A success envelope as the specification shows it. */
export function envelope(data: unknown, code = 'SUCCESS'): Record<string, unknown> {
  return {
    status: 'success',
    code,
    message: 'Done',
    data,
    meta: [],
    request_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  };
}

export const collectionRequest = {
  amount: '1180.50',
  reference: 'order-1',
  phone: '255712345678',
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
} as const;

export const bankRequest = {
  reference: 'salary-1',
  bank_code: 'ABC',
  account_number: '0150123456789',
  account_name: 'Juma Hamisi',
  amount: '250000',
  remarks: 'Salary',
} as const;

export const mobileRequest = {
  reference: 'salary-2',
  recipient_phone: '255754000111',
  recipient_name: 'Neema Ali',
  amount: 5000n,
  network: 'NET_ONE',
  remarks: 'Bonus',
} as const;

export const collectionRecord = {
  merchant_id: 7,
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
  customer_phone: '255712345678',
  reference: 'order-1',
  amount: '1180.50',
  fee: 17.7,
  net_amount: 1162.8,
  currency: 'TZS',
  source: 'api',
  payment_method: 'mobile_money',
  provider: 'provider-a',
  provider_reference: 'PA-1',
  status: 'pending',
  metadata: null,
  created_at: '2026-01-01T00:00:00Z',
  processing_at: null,
} as const;

export const bankRecord = {
  reference: 'salary-1',
  amount: '250000.00',
  fee: '1500.00',
  total_amount: '251500.00',
  currency: 'TZS',
  bank_code: 'ABC',
  bank_name: 'Able Bank',
  account_number: '0150123456789',
  account_name: 'Juma Hamisi',
  provider: 'provider-b',
  status: 'processing',
  remarks: 'Salary',
  metadata: [],
} as const;

export const mobileRecord = {
  reference: 'salary-2',
  amount: '5000.00',
  fee: '100.00',
  total_amount: '5100.00',
  currency: 'TZS',
  recipient_name: 'Neema Ali',
  recipient_phone: '255754000111',
  channel: 'MOBILE_MONEY',
  network: 'NET_ONE',
  status: 'processing',
  provider: 'provider-c',
  remarks: 'Bonus',
  created_at: '2026-01-01T00:00:00Z',
} as const;
