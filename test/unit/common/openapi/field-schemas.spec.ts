import { expect, it } from 'vitest';
import { Ajv } from 'ajv';
import { isEmail, isISO8601 } from 'class-validator';
import * as schemas from '../../../../lib/common/openapi/field-schemas.js';
import { type FieldSchema } from '../../../../lib/common/openapi/open-api-field.js';

const { AMOUNT, CURRENCY, EMAIL, KEPT, METADATA, MONEY, PHONE, REFERENCE, TEXT, TIMESTAMP, TZS } = schemas;
const ajv = new Ajv({
  strict: false,
  formats: { email: (text) => isEmail(text), 'date-time': (text) => isISO8601(text, { strict: true }) },
});

/** A document says elsewhere than a JSON schema which fields are required. */
function accepts({ required: _, ...schema }: FieldSchema, value: unknown): boolean {
  return ajv.validate(schema, value);
}

it.each<[string, FieldSchema, readonly unknown[]]>([
  ['a text', TEXT, ['a', ' a ', '\n.']],
  ['a reference', REFERENCE, ['a', 'order 1', 'a'.repeat(255), 'Auftrag-ü']],
  ['a phone number', PHONE, ['255700000000']],
  ['an email address', EMAIL, ['customer@example.com']],
  ['an amount', AMOUNT, ['1', '0.01', '10.5', '9999999999999.99', 0.01, 1180.5, 9_999_999_999_999.99]],
  ['the currency', CURRENCY, ['TZS']],
  ['metadata', METADATA, [{}, { order: { id: 7 } }]],
  ['money of a record', MONEY, ['0.00', '-12.30', '1180.50']],
  ['a text of a record', KEPT, ['', 'a']],
  ['the currency of a record', TZS, ['TZS', 'KES']],
  ['a moment', TIMESTAMP, ['2026-01-31T09:30:00Z']],
])('the schema of %s accepts what the package accepts', (_, schema, values) => {
  for (const value of values) expect([value, accepts(schema, value)]).toEqual([value, true]);
});

it.each<[string, FieldSchema, readonly unknown[]]>([
  ['a text', TEXT, ['', ' ', '\n', 1, null]],
  ['a reference', REFERENCE, ['', ' a', 'a ', 'a\nb', 'a\u007fb', '\u0000a', 'a\u009f', 'a'.repeat(256), 1]],
  ['a phone number', PHONE, ['0700000000', '25570000000', '2557000000000', '25570000000x', 255700000000]],
  ['an email address', EMAIL, ['customer', 1]],
  [
    'an amount',
    AMOUNT,
    ['0', '0.00', '01', '1.', '1.005', '-1', '1e3', '10000000000000', 'a1', 0, 1e13, null],
  ],
  ['the currency', CURRENCY, ['KES', '', 1]],
  ['metadata', METADATA, ['', 1, null, []]],
  ['money of a record', MONEY, ['1', '1.5', '1.005', 'a1.00', '1.00a', 1]],
  ['a text of a record', KEPT, [1, null]],
  ['the currency of a record', TZS, [1, null]],
  ['a moment', TIMESTAMP, ['31 January 2026', 1]],
])('the schema of %s refuses what the package refuses', (_, schema, values) => {
  for (const value of values) expect([value, accepts(schema, value)]).toEqual([value, false]);
});

it.each([PHONE, EMAIL, TIMESTAMP, TZS])(
  'the example $example is one that its own schema accepts',
  (schema) => {
    expect(accepts(schema, schema.example)).toBe(true);
  },
);

it('the currency is TZS in words, as the default and in the example', () => {
  expect(CURRENCY).toMatchObject({ default: 'TZS', required: false, description: 'Always TZS.' });
  expect(TZS).toMatchObject({ description: 'TZS.', example: 'TZS' });
});
