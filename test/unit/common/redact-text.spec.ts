import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../../lib/common/redact-text.js';

describe('redacting text from outside', () => {
  const table: [text: string, safe: string][] = [
    ['key pk_test_abc.def refused', 'key [redacted] refused'],
    ['secret sk_live_abc refused', 'secret [redacted] refused'],
    ['write to asha@example.com now', 'write to [redacted] now'],
    ['+255 712 345 678 is off', '[redacted] is off'],
    ['account 0150-123-456 unknown', 'account [redacted] unknown'],
    ['at least 1000 TZS, HTTP 422', 'at least 1000 TZS, HTTP 422'],
  ];

  for (const [text, safe] of table) {
    it(`turns "${text}" into "${safe}"`, () => {
      expect(redactText(text)).toBe(safe);
    });
  }

  it('blanks out the values it is given, the longest first', () => {
    expect(redactText('Asha Juma and Asha', ['Asha', 'Asha Juma'])).toBe('[redacted] and [redacted]');
  });

  it('blanks them out in any case, also where they hold signs of a pattern', () => {
    expect(redactText('ASHA (J.) JUMA is unknown', ['Asha (J.) Juma'])).toBe('[redacted] is unknown');
    expect(redactText('Ashaa', ['Ash.a'])).toBe('Ashaa');
  });

  it('leaves words alone for the sake of a very short value', () => {
    expect(redactText('a bank account', ['a', ''])).toBe('a bank account');
  });
});
