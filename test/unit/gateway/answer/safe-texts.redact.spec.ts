import { describe, expect, it } from 'vitest';
import { redactText } from '../../../../lib/gateway/answer/safe-texts.js';

const LONG = 600_000;

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
    ['phone 0712.345.678', 'phone [redacted]'],
    ['phone 07.12.34.56.78', 'phone [redacted]'],
    ['phone 0712_345_678', 'phone [redacted]'],
    ['phone 0712\u00a0345\u202f678', 'phone [redacted]'],
    ['phone 0712\u2013345\u2011678', 'phone [redacted]'],
    ['phone \uff10\uff17\uff11\uff12345678', 'phone [redacted]'],
    ['phone 07&#49;2345678', 'phone [redacted]'],
    ['at most 100000.00', 'at most [redacted].00'],
    ['1180.50 or 99.5, version 1.2.3', '1180.50 or 99.5, version 1.2.3'],
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

  // A look at every letter from every letter would take many minutes, and stop the whole process meanwhile.
  it.each([
    ['one word', 'a'.repeat(LONG), 'a'.repeat(LONG)],
    ['one number', '1'.repeat(LONG), '[redacted]'],
    ['one address', `${'a'.repeat(LONG)}@${'b'.repeat(LONG)}`, '[redacted]'],
    ['points', '1.'.repeat(LONG), '[redacted].'],
    ['amounts', '12345.00; '.repeat(LONG), '12345.00; '.repeat(LONG)],
    ['ampersands', `&${'amp;'.repeat(LONG)}`, '&'],
    ['half an entity', '&amp'.repeat(LONG), '&amp'.repeat(LONG)],
    ['backslashes', '\\'.repeat(LONG), '\\'.repeat(LONG)],
    ['apostrophes', "\\'".repeat(LONG), "'".repeat(LONG)],
    ['white space', ' \n\u200b'.repeat(LONG), ' '],
    ['marks', `a${'\u0301\u0323'.repeat(LONG)}`, `\u1ea1${'\u0323'.repeat(3)}${'\u0301'.repeat(4)}`],
    ['voiced sounds', `a${'\uff9e\u0301'.repeat(LONG)}`, `\u00e1${'\u3099'.repeat(4)}${'\u0301'.repeat(3)}`],
  ])('redacts an endless text of %s', (_what, text, safe) => {
    expect(redactText(text, ['Asha'])).toBe(safe);
  });

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

  it.each([
    "Ng'wanakilala",
    'Ng&#039;wanakilala',
    'Ng&#x27;wanakilala',
    'Ng&apos;wanakilala',
    'Ng&amp;#039;wanakilala',
    'NG&rsquo;WANAKILALA',
    'Ng\u2019wanakilala',
    'Ng\u02bcwanakilala',
    'Ng`wanakilala',
    "Ng\\'wanakilala",
    "Ng'\u200bwanaki\u00adlala",
  ])('finds a name in the spelling %j', (name) => {
    expect(redactText(`The name ${name} is wrong`, ["Ng'wanakilala"])).toBe('The name [redacted] is wrong');
    expect(redactText("The name Ng'wanakilala is wrong", [name])).toBe('The name [redacted] is wrong');
  });

  it.each([
    ['Jos\u00e9', 'Jose\u0301'],
    ['Juma &amp; Sons', 'Juma & Sons'],
    ['Asha\nMushi', 'Asha Mushi'],
    ['Asha\u00a0 Mushi', 'Asha Mushi'],
    ['A&quot;J&quot;', 'A"J"'],
  ])('finds in %j what was sent as %j', (text, value) => {
    expect(redactText(text, [value])).toBe('[redacted]');
    expect(redactText(value, [text])).toBe('[redacted]');
  });

  it('makes no element of a page, and nothing of what is no character', () => {
    expect(redactText('&lt;b&gt; &#60;b&#x3e; &amp;#60;', [])).toBe('&lt;b&gt; &#60;b&#x3e; &amp;#60;');
    expect(redactText('&#xffffff; &copy; &# & &;', [])).toBe('&#xffffff; &copy; &# & &;');
  });

  it('is one line without anything that steers a terminal', () => {
    expect(redactText('a\r\nb\u001b[2Kc\u2029d\ud800e\u009b', [])).toBe('a b [2Kc d e ');
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

  it.each([
    ['letters', 'Asha Mushi '],
    ['letters outside of Latin', '\u0645\u062d\u0645\u062f '],
    ['pairs of code units', 'x\u{1f34b}'],
    ['signs of patterns', '(a|b)* – [c]? '],
  ])('replaces a long value of %s, also one that is cut off, and all that follows it', (_, unit) => {
    const value = `For ${unit.repeat(10_000)}`;
    const said = (end: number): string => `Bad \u2013 \u00e9: ${value.toUpperCase().slice(0, end)} Asha`;
    for (const end of [2_000, value.length])
      expect(redactText(said(end), [value])).toBe('Bad – é: [redacted]');
    expect(redactText('Bad \u2013 For order 17', [value])).toBe('Bad – For order 17');
  });
});
