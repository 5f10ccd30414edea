import { type FieldSchema } from './open-api-field.js';

/** A string that is not blank. */
export const TEXT: FieldSchema = { type: 'string', minLength: 1, pattern: '\\S' };

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';

/** Bytes count, but OpenAPI can only count characters. No white space at the ends, no control characters. */
export const REFERENCE: FieldSchema = {
  ...TEXT,
  maxLength: 255,
  pattern: `^[^\\s${CONTROL}]([^${CONTROL}]*[^\\s${CONTROL}])?$`,
};

export const PHONE: FieldSchema = { type: 'string', pattern: '^255\\d{9}$', example: '255700000000' };

export const EMAIL: FieldSchema = { type: 'string', format: 'email', example: 'customer@example.com' };

/** What an application may write as `MoneyInput`, as far as JSON can. */
export const AMOUNT: FieldSchema = {
  oneOf: [
    { type: 'string', pattern: '^(?=.*[1-9])(0|[1-9]\\d{0,12})(\\.\\d{1,2})?$' },
    { type: 'number', minimum: 0.01, maximum: 9_999_999_999_999.99 },
  ],
};

/** What a request says, or leaves out. */
export const CURRENCY: FieldSchema = {
  type: 'string',
  enum: ['TZS'],
  default: 'TZS',
  required: false,
  description: 'Always TZS.',
};

export const METADATA: FieldSchema = { type: 'object', additionalProperties: true };

/** Money in a record. */
export const MONEY: FieldSchema = { type: 'string', pattern: '^-?\\d+\\.\\d{2}$' };

/** Text in a record: kept as it came, whatever it is. */
export const KEPT: FieldSchema = { type: 'string' };

/** The currency in a record. */
export const TZS: FieldSchema = { type: 'string', description: 'TZS.', example: 'TZS' };

export const TIMESTAMP: FieldSchema = {
  type: 'string',
  format: 'date-time',
  example: '2026-01-31T09:30:00Z',
};

/** Values that the specification lists, open to others: what it does not list is kept as it came. */
export function listed(values: readonly string[]): FieldSchema {
  return { anyOf: [{ type: 'string', enum: values }, { type: 'string' }] };
}
