import { hash } from 'node:crypto';
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
  const text = `${operation}\n${canonicalText({ ...body, amount: payment.amount })}`;
  return `${VERSION}:${hash('sha256', text)}`;
}

/** The JSON that is sent, with the fields of every object in order. */
function canonicalText(value: unknown): string {
  // The gaps of an array, too, are null on the wire.
  if (Array.isArray(value)) return `[${Array.from<unknown, string>(value, canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  let fields = '';
  for (const name of Object.keys(value).sort()) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field === undefined) continue;
    fields += `${fields && ','}${JSON.stringify(name)}:${canonicalText(field)}`;
  }
  return `{${fields}}`;
}
