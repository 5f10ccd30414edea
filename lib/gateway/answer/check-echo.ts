import { addMoney, compareMoney as compareCents, moneyFromWire } from '../../common/money.js';
import { MONEY_OPERATIONS } from '../../common/operations.js';
import { normalizeTzPhone } from '../../common/phone.js';
import { type MoneyCall, type Payment } from '../gateway-call.js';
import { type WireRecord } from './wire-record.js';

/** The fields of an echo that differ from the payment, and a warning for each field that is absent or odd. */
export interface EchoCheck {
  readonly differing: readonly string[];
  readonly warnings: readonly string[];
}

/** How an echo departs from what was sent; undefined if it does not. */
type Difference = 'masked' | 'rounded' | 'different' | undefined;

type Comparison = (sent: string, echoed: unknown) => Difference;

const COMPARISONS = {
  text: compareText,
  money: compareMoney,
  account: compareAccount,
  phone: comparePhone,
  name: compareName,
} satisfies Readonly<Record<string, Comparison>>;

/** What every answer repeats. */
const BASIC = { reference: 'text', amount: 'money', currency: 'text' } as const;

/** What the answer to each operation repeats, and how it is compared. */
const ECHOES = {
  'collection.mobile-money': echoesOf('collection.mobile-money'),
  'collection.partner-wallet': echoesOf('collection.partner-wallet'),
  'disbursement.bank': echoesOf('disbursement.bank'),
  'disbursement.mobile-money': echoesOf('disbursement.mobile-money'),
};

function echoesOf(
  operation: keyof typeof MONEY_OPERATIONS,
): readonly (readonly [field: string, as: keyof typeof COMPARISONS])[] {
  return Object.entries({ ...BASIC, ...MONEY_OPERATIONS[operation].echoes });
}

/** Compares a payment with the record of the answer. Warnings contain no value of either. */
export function checkEcho(
  { kind, operation, payment, body = {} }: Pick<MoneyCall<object>, 'kind' | 'operation' | 'payment' | 'body'>,
  record: WireRecord,
): EchoCheck {
  const differing: string[] = [];
  const warnings: string[] = [];
  for (const [field, as] of ECHOES[operation]) {
    const echoed = record[field];
    if (echoed == null) {
      warnings.push(`the answer does not repeat ${field}, so it could not be compared`);
      continue;
    }
    const sent = sentText(payment, body, field);
    if (echoed === sent) continue;
    const difference = isRoundedFrom(echoed, sent) ? 'rounded' : COMPARISONS[as](sent, echoed);
    if (difference === 'masked')
      warnings.push(`the answer hides a part of ${field}; the rest is as it was sent`);
    if (difference === 'rounded')
      warnings.push(
        `the answer writes ${field} as a number that was rounded on its way: what can be read of it is as it was sent`,
      );
    if (difference !== 'different') continue;
    if (as === 'name') warnings.push(`the answer names another ${field} than was sent`);
    else differing.push(field);
  }
  return { differing, warnings: kind === 'disbursement' ? [...warnings, ...sumWarnings(record)] : warnings };
}

function sentText(payment: Payment, body: WireRecord, field: string): string {
  return String(Object.hasOwn(payment, field) ? payment[field as keyof Payment] : body[field]);
}

/** The specification's examples show `total_amount` as amount plus fee. */
function sumWarnings(record: WireRecord): readonly string[] {
  const amount = moneyFromWire(record['amount']);
  const fee = moneyFromWire(record['fee']);
  const total = moneyFromWire(record['total_amount']);
  if (amount === undefined || fee === undefined || total === undefined) return [];
  return compareCents(total, addMoney(amount, fee)) === 0
    ? []
    : ['total_amount is not the sum of amount and fee'];
}

/** Whether an answer repeats a text, with or without blanks around it. */
export function isSameText(echoed: unknown, sent: string): boolean {
  return !isRoundedFrom(echoed, sent) && wireText(echoed)?.trim() === sent.trim();
}

/**
 * Whether an answer writes a text of digits as a number that JavaScript cannot hold exactly: 15000000000000001 is read as
 * 15000000000000000. Such a number proves nothing: neither that the text is the same nor that it is another.
 */
export function isRoundedFrom(echoed: unknown, sent: string): boolean {
  return isBeyondExact(echoed) && Number(compact(sent)) === echoed;
}

/** Whether a value is a number above 2^53, which another one may have been rounded to. */
export function isBeyondExact(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function compareText(sent: string, echoed: unknown): Difference {
  return differentUnless(isSameText(echoed, sent));
}

function compareMoney(sent: string, echoed: unknown): Difference {
  return differentUnless(moneyFromWire(echoed) === sent);
}

function compareName(sent: string, echoed: unknown): Difference {
  return differentUnless(plainName(wireText(echoed)) === plainName(sent));
}

function comparePhone(sent: string, echoed: unknown): Difference {
  const text = wireText(echoed);
  return normalizeTzPhone(text) === sent ? undefined : compareAccount(sent, text && international(text));
}

/** Replaces a leading `0` of a masked phone by `255`: `0712***678` is `255712***678`. */
function international(phone: string): string {
  return phone.trim().replace(/^(?:\+|00?)/, (prefix) => (prefix === '0' ? '255' : ''));
}

/** A JSON number cannot hold leading zeros, and some gateways show only a part of an account. */
function compareAccount(sent: string, echoed: unknown): Difference {
  const written = wireText(echoed);
  if (written === undefined) return 'different';
  const [number, text] = [compact(sent), compact(written)];
  if (text === number || (typeof echoed === 'number' && text === number.replace(/^0+/, ''))) return undefined;
  const [start, ...shown] = text.split(/[*•#xX]/) as [string, ...string[]];
  const end = shown.at(-1);
  if (end === undefined || start.length + end.length > number.length) return 'different';
  return number.startsWith(start) && number.endsWith(end) ? 'masked' : 'different';
}

function compact(text: string): string {
  return text.replaceAll(/[\s-]/g, '');
}

function plainName(text: string | undefined): string | undefined {
  return text?.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function wireText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function differentUnless(isEqual: boolean): Difference {
  return isEqual ? undefined : 'different';
}
