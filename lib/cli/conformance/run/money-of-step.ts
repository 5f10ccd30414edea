import { type Step, type StepOperation } from '../questions/question.js';

/** What a request may move at most, in cents. */
export interface StepMoney {
  readonly inCents: number;
  readonly outCents: number;
}

export const NO_MONEY: StepMoney = { inCents: 0, outCents: 0 };

const DIRECTIONS: Partial<Readonly<Record<StepOperation, 'in' | 'out'>>> = {
  'POST /payments/mobile-money': 'in',
  'POST /payments/partnerpesa': 'in',
  'POST /disbursements/bank': 'out',
  'POST /disbursements/mobile-money': 'out',
};

/** Whether the operation makes a collection or a payout: it has a reference and an Idempotency-Key. */
export function movesMoney(operation: StepOperation): boolean {
  return DIRECTIONS[operation] !== undefined;
}

/** Read from what is sent, so that no question can say less. A body that is no JSON moves nothing. */
export function moneyOf({ operation, body }: Step): StepMoney {
  const direction = DIRECTIONS[operation];
  if (direction === undefined || typeof body === 'string' || body === undefined) return NO_MONEY;
  // The caps count TZS. XTS is the code that ISO 4217 keeps for tests: a gateway that overlooks it takes it for TZS.
  const isCounted = body['currency'] === 'TZS' || body['currency'] === 'XTS';
  const cents = isCounted ? centsAtMost(body['amount']) : Number.POSITIVE_INFINITY;
  return direction === 'in' ? { ...NO_MONEY, inCents: cents } : { ...NO_MONEY, outCents: cents };
}

/** Parts of a cent count as a whole one. What cannot be read counts as more than any cap. */
function centsAtMost(amount: unknown): number {
  const parts = /^(\d+)(?:\.(\d{1,2})(\d*))?$/.exec(String(amount));
  if (!parts) return Number.POSITIVE_INFINITY;
  const [, whole = '0', fraction = '', rest = ''] = parts;
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0')) + (/[1-9]/.test(rest) ? 1 : 0);
}
