import { randomUUID } from 'node:crypto';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/** A gateway answer as it came over the socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly merchant?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const COLLECTION = {
  amount: 15_000,
  currency: 'TZS',
  reference: 'order-1',
  phone: '255712345678',
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
} as const;

export const BANK_PAYOUT = {
  reference: 'salary-1',
  bank_code: 'BSB',
  account_number: '0123456789',
  account_name: 'Asha Juma',
  amount: 20_000,
  currency: 'TZS',
  remarks: 'Salary',
} as const;

export const MOBILE_PAYOUT = {
  reference: 'refund-1',
  recipient_phone: '255712345678',
  recipient_name: 'Asha Juma',
  amount: 5_000,
  currency: 'TZS',
  network: 'NET_ONE',
  remarks: 'Refund',
} as const;

/** Calls operations without the package's own client: what is tested is the emulator alone. */
export function callerOf(sandbox: PaymentsSandbox) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<RawAnswer> => {
    const { merchant = 'demo', key = randomUUID() } = options;
    const response = await fetch(`${sandbox.baseUrl}${path}`, {
      method,
      headers: {
        'x-api-key': `pk_test_${merchant}`,
        'x-api-secret': `sk_test_${merchant}`,
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as RawAnswer['body'],
    };
  };
  return {
    get: (path: string, options?: CallOptions) => call('GET', path, undefined, options),
    post: (path: string, body: unknown, options?: CallOptions) => call('POST', path, body, options),
    collect: (fields: object = {}, options?: CallOptions) =>
      call('POST', '/payments/mobile-money', { ...COLLECTION, ...fields }, options),
    payToBank: (fields: object = {}, options?: CallOptions) =>
      call('POST', '/disbursements/bank', { ...BANK_PAYOUT, ...fields }, options),
    payToPhone: (fields: object = {}, options?: CallOptions) =>
      call('POST', '/disbursements/mobile-money', { ...MOBILE_PAYOUT, ...fields }, options),
    lookUp: (fields: object, options?: CallOptions) =>
      call('POST', '/disbursements/name-lookup', fields, options),
  };
}
