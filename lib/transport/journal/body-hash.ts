import { createHash } from 'node:crypto';
import { type MoneyCall } from '../gateway-call.js';

/** Changing how the hash is made needs another number, and the old way kept beside it while old records stand. */
const VERSION = 1;

/**
 * What tells whether two calls ask for the same payment: the operation and the values of the fields. How an amount was
 * written, and the order of fields, make no difference.
 */
export function bodyHash({
  operation,
  payment,
  body,
}: Pick<MoneyCall<object>, 'operation' | 'payment' | 'body'>): string {
  const sent: unknown = JSON.parse(JSON.stringify({ ...body, amount: payment.amount }));
  const text = `${operation}\n${canonicalText(sent)}`;
  return `${VERSION}:${createHash('sha256').update(text).digest('hex')}`;
}

/** JSON with the fields of every object in order. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join(',')}}`;
}
