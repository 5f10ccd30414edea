import { describe, expect, it } from 'vitest';
import { redactText } from '../../../../lib/gateway/answer/safe-texts.js';

const LONG = 150_000;

describe('redacting text from outside', () => {
  const table: [text: string, safe: string][] = [
    ['key pk_test_abc.def refused', 'key [redacted] refused'],
    ['secret sk_live_abc refused', 'secret [redacted] refused'],
    ['write to asha@example.com now', 'write to [redacted] now'],
    ['+255 712 345 678 is off', '[redacted] is off'],
    ['call (0712) 345-678', 'call ([redacted]'],
    ['at least 1000.00, HTTP 422 (1000)', 'at least 1000.00, HTTP 422 (1000)'],
    ['key PK_TEST_ABC refused', 'key [redacted] refused'],
    ['account 0150-123-456 unknown', 'account [redacted] unknown'],
    ['at least 1000 TZS, HTTP 422', 'at least 1000 TZS, HTTP 422'],
  ];

  for (const [text, safe] of table) {
    it(`turns "${text}" into "${safe}"`, () => {
      expect(redactText(text, [])).toBe(safe);
    });
  }

  it('finds every e-mail address among signs that belong to none', () => {
    expect(redactText(`<asha@example.com>,"juma@example.com" a@b@c @d e@`, [])).toBe(
      `<[redacted]>,"[redacted]" [redacted]@c @d e@`,
    );
  });

  // A look at every letter from every letter would take long, and stop the whole process meanwhile.
  it.each([
    ['one word', 'a'.repeat(LONG), 'a'.repeat(LONG)],
    ['one number', '1'.repeat(LONG), '[redacted]'],
    ['one address', `${'a'.repeat(LONG)}@${'b'.repeat(LONG)}`, '[redacted]'],
  ])(
    'redacts an endless text of %s at once',
    (_what, text, safe) => {
      expect(redactText(text, ['Asha'])).toBe(safe);
    },
    5_000,
  );

  it('blanks out the values it is given, the longest first', () => {
    expect(redactText('Asha Juma and Asha', ['Asha', 'Asha Juma'])).toBe('[redacted] and [redacted]');
  });

  it('blanks them out in whatever case they are written', () => {
    expect(redactText('recipient ASHA JUMA-ALI (asha) is new', ['Asha Juma-Ali', 'Asha'])).toBe(
      'recipient [redacted] ([redacted]) is new',
    );
  });

  it('redacts values that were sent with white space around them', () => {
    expect(redactText('Asha is unknown', [' Asha\n'])).toBe('[redacted] is unknown');
  });

  it('takes them literally', () => {
    expect(redactText('a.b*c (d) [e] axbc', ['a.b*c', '(d)', '[e]'])).toBe(
      '[redacted] [redacted] [redacted] axbc',
    );
  });

  it('takes a short one as a whole word only', () => {
    expect(redactText('Ali: invalid', ['Ali'])).toBe('[redacted]: invalid');
  });

  it('takes one of six letters also within a word', () => {
    expect(redactText('unmushis', ['Mushi'])).toBe('unmushis');
    expect(redactText('unhamisis', ['Hamisi'])).toBe('un[redacted]s');
  });

  it('redacts values in upper or lower case, even if they hold characters of a pattern', () => {
    expect(redactText('ASHA (J.) JUMA is unknown', ['Asha (J.) Juma'])).toBe('[redacted] is unknown');
    expect(redactText('Ashaa', ['Ash.a'])).toBe('Ashaa');
  });

  it('finds a value in a text that has no ASCII letter at all', () => {
    expect(redactText('\u03a3\u03a3\u03a3', ['\u03c3\u03c3\u03c3'])).toBe('[redacted]');
  });

  it('leaves words alone for the sake of a very short value', () => {
    expect(redactText('a bank account', ['a', ''])).toBe('a bank account');
  });

  it('finds a value in upper or lower case, even if a letter of it has a twin in another alphabet', () => {
    const found = [
      ['said ASHA MUSHI', 'asha mushi'],
      ['said asha mushi', 'ASHA MUSHI'],
      ['said ma\u017fumbuko', 'MASUMBUKO'],
      ['said masumbuko', 'ma\u017fumbuko'],
      ['said \u212aassim', 'kassim'],
      ['said kassim', '\u212aassim'],
      ['said ÉLISE', 'élise'],
      ['said \u03a3\u03a3\u03a3', '\u03c3\u03c3\u03c3'],
    ] as const;
    for (const [text, value] of found) expect(redactText(text, [value])).toBe('said [redacted]');
  });
});
