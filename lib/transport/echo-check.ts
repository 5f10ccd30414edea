import { moneyFromWire } from '../common/money.js';
import { type Payment } from './gateway-call.js';

/** What the echo of a payment says: the fields that differ, and a warning for each one that is absent. */
export interface EchoCheck {
  readonly differing: readonly string[];
  readonly warnings: readonly string[];
}

const textEquals = (sent: string, echoed: unknown): boolean =>
  (typeof echoed === 'string' || typeof echoed === 'number') && String(echoed).trim() === sent.trim();

/** Compares a payment with the record of the answer: amounts as exact cents, texts after trimming. */
export function checkEcho(payment: Payment, record: Readonly<Record<string, unknown>>): EchoCheck {
  const equal: Readonly<Record<keyof Payment, (echoed: unknown) => boolean>> = {
    reference: (echoed) => textEquals(payment.reference, echoed),
    amount: (echoed) => moneyFromWire(echoed) === payment.amount,
    currency: (echoed) => textEquals(payment.currency, echoed),
  };
  const differing: string[] = [];
  const warnings: string[] = [];
  for (const [field, isEqual] of Object.entries(equal)) {
    const echoed = record[field];
    if (echoed === undefined || echoed === null) {
      warnings.push(`the answer does not repeat ${field}, so it could not be compared`);
    } else if (!isEqual(echoed)) {
      differing.push(field);
    }
  }
  return { differing, warnings };
}
