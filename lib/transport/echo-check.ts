import { moneyFromWire } from '../common/money.js';
import { type Payment } from './gateway-call.js';

/** What the echo of a payment says: the fields that differ, and a warning for each one that is absent. */
export interface EchoCheck {
  readonly differing: readonly string[];
  readonly warnings: readonly string[];
}

const textEquals = (sent: string, echoed: unknown): boolean =>
  (typeof echoed === 'string' || typeof echoed === 'number') && String(echoed).trim() === sent.trim();

const EQUAL: Readonly<Record<keyof Payment, (payment: Payment, echoed: unknown) => boolean>> = {
  reference: (payment, echoed) => textEquals(payment.reference, echoed),
  amount: (payment, echoed) => moneyFromWire(echoed) === payment.amount,
  currency: (payment, echoed) => textEquals(payment.currency, echoed),
};

const ECHOED = Object.entries(EQUAL);

/** Compares a payment with the record of the answer: amounts as exact cents, texts after trimming. */
export function checkEcho(payment: Payment, record: Readonly<Record<string, unknown>>): EchoCheck {
  const differing: string[] = [];
  const warnings: string[] = [];
  for (const [field, isEqual] of ECHOED) {
    const echoed = record[field];
    if (echoed === undefined || echoed === null) {
      warnings.push(`the answer does not repeat ${field}, so it could not be compared`);
    } else if (!isEqual(payment, echoed)) {
      differing.push(field);
    }
  }
  return { differing, warnings };
}
