import { type SandboxPayment, type SandboxPayout } from '../control/records.js';
import { type MatcherContext } from './matcher-result.js';

/** Whether a message may print a field's value: not if it is personal, or the merchant's own text. */
type Fields<Name extends string> = Readonly<Record<Name, boolean>>;

export const PAYMENT_FIELDS: Fields<keyof SandboxPayment> = {
  merchant: true,
  customer_name: false,
  customer_email: false,
  customer_phone: false,
  reference: true,
  amount: true,
  fee: true,
  net_amount: true,
  currency: true,
  payment_method: true,
  provider: true,
  provider_reference: true,
  channel: true,
  status: true,
  metadata: false,
  created_at: true,
  processing_at: true,
  expires_at: true,
  settled_at: true,
  reason: false,
};

export const PAYOUT_FIELDS: Fields<keyof SandboxPayout> = {
  merchant: true,
  kind: true,
  reference: true,
  amount: true,
  fee: true,
  total_amount: true,
  currency: true,
  provider: true,
  status: true,
  remarks: false,
  metadata: false,
  created_at: true,
  settled_at: true,
  reason: false,
  bank_code: true,
  bank_name: true,
  account_number: false,
  account_name: false,
  recipient_name: false,
  recipient_phone: false,
  network: true,
};

/** Beside the fields of a request's body, which may have a field `status` of its own. */
export const ANSWER_STATUS = 'status of the answer';

const PRINTED: Fields<string> = {
  ...PAYMENT_FIELDS,
  ...PAYOUT_FIELDS,
  attempts: true,
  [ANSWER_STATUS]: true,
};

/** The fields that do not fit, in words. Fields may be asymmetric matchers (`expect.any(…)`). */
export function misfits(context: MatcherContext, actual: object, expected: object): readonly string[] {
  const fields = actual as Readonly<Record<string, unknown>>;
  return Object.entries(expected)
    .filter(([name, value]) => !context.equals(fields[name], value))
    .map(
      ([name, value]) => `${name}: expected ${inWords(name, value)}, found ${inWords(name, fields[name])}`,
    );
}

/** The misfits of the record that has the fewest; empty without a record. */
export function nearestMisfits(
  context: MatcherContext,
  actuals: readonly object[],
  expected: object,
): readonly string[] {
  return fewestOf(actuals.map((actual) => misfits(context, actual, expected)));
}

/** The shortest list; empty if there is none. */
export function fewestOf(lists: readonly (readonly string[])[]): readonly string[] {
  return lists.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

/** Expected fields as a message prints them. */
export function printed(expected: object): string {
  const fields = Object.entries(expected).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${printedField(name, value)}`).join(',')}}`;
}

function printedField(name: string, value: unknown): string {
  return PRINTED[name] === true ? printedValue(value) : `(${typeOf(value)})`;
}

function inWords(name: string, value: unknown): string {
  const type = typeOf(value);
  if (PRINTED[name] !== true || value === null || value === undefined) return type;
  return isAsymmetric(value) ? printedValue(value) : `${type} ${printedValue(value)}`;
}

function printedValue(value: unknown): string {
  if (isAsymmetric(value)) return nameOf(value);
  const bigints = (_name: string, inside: unknown): unknown =>
    typeof inside === 'bigint' ? `${inside}n` : inside;
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value, bigints);
}

/** The type of a JSON value, or of one that JSON does not have. */
function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isAsymmetric(value)) return 'matcher';
  return Array.isArray(value) ? 'array' : typeof value;
}

interface PrintableMatcher {
  asymmetricMatch(other: unknown): boolean;
  toAsymmetricMatcher?(): string;
  toString(): string;
}

export function isAsymmetric(value: unknown): value is PrintableMatcher {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value;
}

function nameOf(matcher: PrintableMatcher): string {
  return matcher.toAsymmetricMatcher?.() ?? matcher.toString();
}
