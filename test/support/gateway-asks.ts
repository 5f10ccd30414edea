import { type callerOf, COLLECTION, type RawAnswer } from './gateway-caller.js';

export type Caller = ReturnType<typeof callerOf>;
export type Ask = (gateway: Caller) => Promise<RawAnswer>;

/** How to be refused with each code. */
export const REFUSED: Readonly<Record<string, Ask>> = {
  INVALID_REQUEST: (gateway) => gateway.post('/payments/mobile-money', '{'),
  DUPLICATE_REQUEST: (gateway) => twice(() => gateway.collect({}, { key: 'one' })),
  DUPLICATE_REFERENCE: (gateway) => twice(() => gateway.payToBank()),
  INVALID_BANK_CODE: (gateway) =>
    gateway.lookUp({ channel: 'BANK', account_number: '0123456789', bank_code: 'NONE' }),
  ACCOUNT_NOT_FOUND: (gateway) => gateway.lookUp({ channel: 'MOBILE_MONEY', account_number: '12' }),
  INVALID_CHANNEL: (gateway) => gateway.lookUp({ channel: 'NONE', account_number: '255712345678' }),
  INVALID_BANK: (gateway) => gateway.payToBank({ bank_code: 'NONE' }),
  INVALID_ACCOUNT: (gateway) => gateway.payToBank({ account_number: '1' }),
  ACCOUNT_NAME_MISMATCH: (gateway) => gateway.payToBank({}, { headers: { 'x-sandbox-scenario': '0406' } }),
  INVALID_NETWORK: (gateway) => gateway.payToPhone({ network: 'NONE' }),
  INVALID_PHONE: (gateway) => gateway.payToPhone({ recipient_phone: '255' }),
  INSUFFICIENT_BALANCE: (gateway) => gateway.payToBank({ amount: 5_000_000 }),
  PROVIDER_ERROR: (gateway) => gateway.payToBank({}, { headers: { 'x-sandbox-scenario': '0502' } }),
};

/** How each operation succeeds. */
export const SUCCEEDED: Readonly<Record<string, Ask>> = {
  'POST /payments/partnerpesa': (gateway) => gateway.post('/payments/partnerpesa', COLLECTION),
  'GET /merchant-balance': (gateway) => gateway.get('/merchant-balance'),
  'GET /bank-shortnames': (gateway) => gateway.get('/bank-shortnames'),
  'POST /disbursements/name-lookup': (gateway) => lookUp(gateway, 'MOBILE_MONEY'),
  'POST /disbursements/bank': (gateway) => gateway.payToBank(),
  'POST /disbursements/mobile-money': (gateway) => gateway.payToPhone(),
};

async function twice(ask: () => Promise<RawAnswer>): Promise<RawAnswer> {
  await ask();
  return ask();
}

/** Asks for a name that the emulator knows. */
export function lookUp(gateway: Caller, channel: string): Promise<RawAnswer> {
  return gateway.lookUp({
    channel,
    account_number: channel === 'BANK' ? '0123456789' : '255712345678',
    ...(channel === 'BANK' && { bank_code: 'BSB' }),
  });
}
