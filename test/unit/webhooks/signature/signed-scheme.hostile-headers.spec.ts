import { describe, expect, it } from 'vitest';
import { type SignatureVerdict } from '../../../../lib/common/webhook-scheme.js';
import {
  delivery,
  SCHEME_CASES,
  type SchemeCase,
  signatureOf,
  type SignedTexts,
  timeText,
} from '../../../support/scheme-cases.js';

const NOW = 1_800_000_000_000;
const BODY = Buffer.from('{"event":"payment.success"}');
const refused = { ok: false, reason: expect.any(String) as unknown };

type Headers = Record<string, string | readonly string[]>;

function verdict(subject: SchemeCase, headers: Headers, body: Uint8Array = BODY, now = NOW) {
  return subject.scheme.verify(delivery(headers, body), [subject.key], now) as SignatureVerdict;
}

describe.each(SCHEME_CASES.map((subject) => [subject.name, subject] as const))('%s', (_name, subject) => {
  const texts: SignedTexts = { time: timeText(subject.unit, NOW), id: 'msg_1' };
  const signature = signatureOf(subject, texts, BODY);
  const headers = subject.headers(signature, texts);
  const given = headers[subject.header]!;
  const refuses = (changed: Headers): void => {
    expect(verdict(subject, changed)).toEqual(refused);
  };
  const withSignature = (text: string): Headers => subject.headers(text, texts);

  it('accepts the signature that an independent computation gives, and gives it itself', () => {
    expect(verdict(subject, headers)).toEqual({ ok: true });
    expect(subject.scheme.sign!({ body: BODY, key: subject.key, now: NOW, id: 'msg_1' })).toEqual(headers);
  });

  it.each<[string, (value: string) => string | readonly string[]]>([
    ['is empty', () => ''],
    ['is blank', () => '  '],
    ['is sent without a value', () => []],
    ['is sent twice', (value) => [value, value]],
    ['is sent twice, once empty', (value) => [value, '']],
    ['is its first character', (value) => value.slice(0, 1)],
    ['lost its first character', (value) => value.slice(1)],
    ['lost its last character', (value) => value.slice(0, -1)],
    ['lost its signature', (value) => value.replace(signature, '')],
    ['is in quotation marks', (value) => `"${value}"`],
    ['is over-long', (value) => `${value},${'a'.repeat(4_096)}`],
    ['is 16 MiB long', (value) => value.repeat(2 ** 24 / value.length)],
  ])('refuses when the header %s', (_what, change) => {
    refuses({ ...headers, [subject.header]: change(given) });
  });

  it('refuses when any of its headers is missing, empty, repeated or beyond Latin-1', () => {
    for (const name of Object.keys(headers)) {
      const { [name]: value, ...others } = headers;
      refuses(others);
      refuses({ ...others, [name]: '' });
      refuses({ ...others, [name]: [value!, value!] });
      // Cut to its last byte, as Latin-1 is, this is the character that was signed.
      const beyond = String.fromCharCode(value!.charCodeAt(0) + 256) + value!.slice(1);
      refuses({ ...others, [name]: beyond });
    }
  });

  it.each<[string, (text: string) => string]>([
    ['is empty', () => ''],
    ['is its first character', (text) => text.slice(0, 1)],
    ['is its first half', (text) => text.slice(0, text.length / 2)],
    ['lost its last character', (text) => text.slice(0, -1)],
    ['has a zero after it', (text) => `${text}0`],
    ['has a line break after it', (text) => `${text}\n`],
    ['has a NUL after it', (text) => `${text}\0`],
    ['has an equals sign after it', (text) => `${text}=`],
    ['has an equals sign and more after it', (text) => `${text}=a`],
    ['has a comma and more inside', (text) => `${text.slice(0, 9)},${text.slice(9)}`],
    ['has a space inside', (text) => `${text.slice(0, 8)} ${text.slice(8)}`],
    ['appears twice without a separator', (text) => text + text],
    ['ends in a letter beyond ASCII', (text) => `${text.slice(0, -1)}é`],
    ['ends in half a character pair', (text) => `${text.slice(0, -1)}\ud83d`],
    [
      'has a letter of the same last byte',
      (text) => String.fromCharCode(text.charCodeAt(0) + 256) + text.slice(1),
    ],
    ['is in small letters with a capital first', (text) => text.replace(/[a-z]/, (c) => c.toUpperCase())],
    ['is percent-encoded', (text) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`],
    ['has the 0x mark', (text) => `0x${text}`],
  ])('refuses a signature that %s', (_what, change) => {
    refuses(withSignature(change(signature)));
  });

  it('takes a signature in capitals if it is that of hmac() in hexadecimal, and refuses any other', () => {
    const inCapitals = signature.toUpperCase();
    const expected = subject.upperCaseToo ? { ok: true } : refused;
    expect(verdict(subject, withSignature(inCapitals))).toEqual(expected);
    refuses(withSignature(inCapitals.slice(0, -1)));
    refuses(
      withSignature(
        given.replace(signature, inCapitals).toUpperCase().replace(inCapitals, signature.slice(1)),
      ),
    );
  });

  it('refuses the signature of anything else', () => {
    const others: Record<string, string> = {
      'another body': signatureOf(subject, texts, Buffer.from('{}')),
      'no body': signatureOf(subject, texts, Buffer.alloc(0)),
      'another key': signatureOf(subject, texts, BODY, { key: Buffer.from('another') }),
      'the empty key': signatureOf(subject, texts, BODY, { key: Buffer.alloc(0) }),
      'the secret in another encoding': signatureOf(subject, texts, BODY, {
        key: Buffer.from(subject.key.toString('base64')),
      }),
      sha1: signatureOf(subject, texts, BODY, { algorithm: 'sha1' }),
      'another algorithm': signatureOf(subject, texts, BODY, {
        algorithm: subject.algorithm === 'sha256' ? 'sha512' : 'sha256',
      }),
      'another encoding': signatureOf(subject, texts, BODY, {
        encoding: subject.encoding === 'hex' ? 'base64' : 'hex',
      }),
    };
    const accepted = Object.entries(others).filter(([, text]) => verdict(subject, withSignature(text)).ok);
    expect(accepted).toEqual([]);
  });

  it('refuses every body that differs in one bit, is cut or continues', () => {
    const changed = Array.from(BODY, (byte, at) => {
      const copy = Buffer.from(BODY);
      copy[at] = byte ^ 1;
      return copy;
    });
    for (const body of [...changed, BODY.subarray(1), BODY.subarray(0, -1), Buffer.alloc(0)]) {
      expect(verdict(subject, headers, body)).toEqual(refused);
    }
    for (const byte of ['\0', ' ', '\n']) {
      expect(verdict(subject, headers, Buffer.concat([BODY, Buffer.from(byte)]))).toEqual(refused);
    }
  });

  it('refuses a key of no bytes or of zero bytes, whatever was signed with it', () => {
    const anyone = subject.headers(signatureOf(subject, texts, BODY, { key: Buffer.alloc(0) }), texts);
    for (const key of [Buffer.alloc(0), Buffer.alloc(32)]) {
      expect(subject.scheme.verify(delivery(anyone, BODY), [key], NOW)).toEqual(refused);
      expect(() => subject.scheme.sign!({ body: BODY, key, now: NOW })).toThrow('empty secret');
    }
  });

  it('refuses without a key, and accepts any one of several', () => {
    const other = Buffer.from('the-secret-before-the-rotation!!');
    const webhook = delivery(headers, BODY);
    expect(subject.scheme.verify(webhook, [], NOW)).toEqual(refused);
    expect(subject.scheme.verify(webhook, [other], NOW)).toEqual(refused);
    expect(subject.scheme.verify(webhook, [other, subject.key], NOW)).toEqual({ ok: true });
    expect(subject.scheme.verify(webhook, [subject.key, other], NOW)).toEqual({ ok: true });
  });
});

const listCases = SCHEME_CASES.filter(({ separator }) => separator !== undefined);
const singleCases = SCHEME_CASES.filter(({ separator }) => separator === undefined);

describe.each(singleCases.map((subject) => [subject.name, subject] as const))(
  '%s, with room for one signature',
  (_name, subject) => {
    const texts: SignedTexts = { time: timeText(subject.unit, NOW), id: 'msg_1' };
    const headers = subject.headers(signatureOf(subject, texts, BODY), texts);

    it.each<[string, (value: string) => string]>([
      ['was joined of two', (value) => `${value}, ${value}`],
      ['was joined without a space', (value) => `${value},${value}`],
      ['has a space before it', (value) => ` ${value}`],
      ['has a space after it', (value) => `${value} `],
      ['has a tab after it', (value) => `${value}\t`],
    ])('refuses a header that %s', (_what, change) => {
      const changed = { ...headers, [subject.header]: change(headers[subject.header]!) };
      expect(verdict(subject, changed)).toEqual(refused);
    });
  },
);

describe.each(listCases.map((subject) => [subject.name, subject] as const))(
  '%s, a list of signatures',
  (_name, subject) => {
    const texts: SignedTexts = { time: timeText(subject.unit, NOW), id: 'msg_1' };
    const right = subject.headers(signatureOf(subject, texts, BODY), texts)[subject.header]!;
    const wrong = subject.headers(signatureOf(subject, texts, Buffer.from('{}')), texts)[subject.header]!;
    const verdictOf = (...list: string[]): SignatureVerdict =>
      verdict(subject, { ...subject.headers('', texts), [subject.header]: list.join(subject.separator) });

    it('takes one right signature at any place among unknown others', () => {
      expect(verdictOf(right, wrong)).toEqual({ ok: true });
      expect(verdictOf(wrong, right)).toEqual({ ok: true });
      expect(verdictOf('v1a,another', '', right, 'v2')).toEqual({ ok: true });
    });

    it('refuses when none is right', () => {
      expect(verdictOf(wrong, wrong)).toEqual(refused);
      expect(verdictOf('', '', '')).toEqual(refused);
    });

    it('reads up to 16 and refuses more, the right one among them or not', () => {
      expect(verdictOf(...Array<string>(15).fill('x'), right)).toEqual({ ok: true });
      expect(verdictOf(...Array<string>(16).fill('x'), right)).toEqual(refused);
      expect(verdictOf(right, ...Array<string>(1_000).fill('x'))).toEqual(refused);
      expect(verdictOf(right, ...Array<string>(1_000).fill(wrong))).toEqual(refused);
    });
  },
);

const base64Cases = SCHEME_CASES.filter(({ encoding }) => encoding === 'base64');

describe.each(base64Cases.map((subject) => [subject.name, subject] as const))(
  '%s, in base64',
  (_name, subject) => {
    const texts: SignedTexts = { time: timeText(subject.unit, NOW), id: 'msg_1' };

    it('refuses every other text of the same bytes', () => {
      let refusals = 0;
      for (let count = 0; count < 200; count += 1) {
        const body = Buffer.from(`{"n":${count}}`);
        const text = signatureOf(subject, texts, body);
        for (const other of otherSpellings(text)) {
          expect(Buffer.from(other, 'base64').toString('base64')).toBe(text);
          expect(verdict(subject, subject.headers(other, texts), body)).toEqual(refused);
          refusals += 1;
        }
      }
      expect(refusals).toBeGreaterThan(1_000);
    });
  },
);

/** Texts that a lenient decoder takes for the same bytes. */
function otherSpellings(text: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const unpadded = text.replace(/=+$/, '');
  const last = alphabet.indexOf(unpadded.at(-1)!);
  const trailingBits = alphabet[last + 1]! + '='.repeat(text.length - unpadded.length);
  const spellings = [
    unpadded,
    `${text}=`,
    `${text}\n`,
    unpadded.slice(0, -1) + trailingBits,
    `${text.slice(0, 4)} ${text.slice(4)}`,
    `${text.slice(0, 4)}\r\n${text.slice(4)}`,
    `${text.slice(0, 4)}é${text.slice(4)}`,
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ];
  return spellings.filter((spelling) => spelling !== text);
}

const timedCases = SCHEME_CASES.filter(({ unit }) => unit !== undefined);

describe.each(timedCases.map((subject) => [subject.name, subject] as const))(
  '%s, in time',
  (_name, subject) => {
    const verdictAt = (time: string, now = NOW): SignatureVerdict => {
      const texts = { time, id: 'msg_1' };
      return verdict(subject, subject.headers(signatureOf(subject, texts, BODY), texts), BODY, now);
    };
    const right = timeText(subject.unit, NOW);

    it.each<[string, string]>([
      ['none', ''],
      ['a word', 'now'],
      ['zero', '0'],
      ['negative', `-${right}`],
      ['with a plus', `+${right}`],
      ['with a space before', ` ${right}`],
      ['with a space after', `${right} `],
      ['with letters after', `${right}abc`],
      ['with a leading zero', `0${right}`],
      ['with a zero fraction', `${right}.0`],
      ['with a fraction', `${right}.9`],
      ['with a full stop', `${right}.`],
      ['with separators', '1_800_000_000'],
      ['hexadecimal', '0x6b49d200'],
      ['an exponent', '18e8'],
      ['an exponent with a fraction', '1.8e9'],
      ['infinite', 'Infinity'],
      ['of many digits', '9'.repeat(400)],
      ['in Arabic digits', '١٨٠٠٠٠٠٠٠٠'],
      ['an HTTP date', 'Fri, 15 Jan 2027 08:00:00 GMT'],
      ['a day', '2027-01-15'],
      ['without an offset', '2027-01-15T08:00:00'],
      ['with a short offset', '2027-01-15T08:00:00+00'],
      ['of a month that does not exist', '2027-13-15T08:00:00Z'],
      ['at hour 25', '2027-01-15T25:00:00Z'],
    ])('refuses a signed time that is %s', (_what, time) => {
      expect(verdictAt(time)).toEqual(refused);
    });

    it('refuses a time in the unit of another scheme', () => {
      const others = (['s', 'ms', 'iso'] as const).filter((unit) => unit !== subject.unit);
      for (const unit of others) expect(verdictAt(timeText(unit, NOW))).toEqual(refused);
    });

    it('holds its tolerance to the millisecond, both ways', () => {
      expect(verdictAt(right, NOW + 300_000)).toEqual({ ok: true });
      expect(verdictAt(right, NOW - 300_000)).toEqual({ ok: true });
      expect(verdictAt(right, NOW + 300_001)).toEqual(refused);
      expect(verdictAt(right, NOW - 300_001)).toEqual(refused);
      expect(verdictAt(right, NOW + 365 * 86_400_000)).toEqual(refused);
      expect(verdictAt(right, NOW - 365 * 86_400_000)).toEqual(refused);
    });

    it('refuses a right time that is not the signed one', () => {
      const signed = { time: right, id: 'msg_1' };
      const moved = { ...signed, time: timeText(subject.unit, NOW + 1_000) };
      expect(verdict(subject, subject.headers(signatureOf(subject, signed, BODY), moved))).toEqual(refused);
    });
  },
);
