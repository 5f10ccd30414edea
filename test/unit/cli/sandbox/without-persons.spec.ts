import { describe, expect, it } from 'vitest';
import { withoutPersons } from '../../../../lib/cli/sandbox/without-persons.js';

describe('an answer without personal data', () => {
  it.each([
    [
      '{"data":{"reference":"order-1","customer_phone":"255712345678","metadata":{"note":"Asha"}}}',
      '{"data":{"reference":"order-1","customer_phone":"…","metadata":"…"}}',
    ],
    ['{"data":{"account_number":"0123456789","amount":5}}', '{"data":{"account_number":"…","amount":5}}'],
    [
      '{"errors":{"phone":["The phone field is required."]}}',
      '{"errors":{"phone":["The phone field is required."]}}',
    ],
    ['{"data":{"customer_name":"As', null],
    ['<!doctype html><title>Error</title>', null],
  ])('%s becomes %s', (body, shown) => {
    expect(withoutPersons(body)).toBe(shown);
  });
});
