import { createHmac } from 'node:crypto';
import { type RawWebhook, type WebhookScheme, hmac, standardWebhooks, stripeStyle } from 'nestjs-payments';

/** What a sender signs beside the body. */
export interface SignedTexts {
  readonly time: string;
  readonly id: string;
}

/** A scheme, and the same scheme written down a second time, without anything of the package. */
export interface SchemeCase {
  readonly name: string;
  readonly scheme: WebhookScheme;
  readonly secret: string;
  readonly key: Buffer;
  /** Carries the signature. */
  readonly header: string;
  readonly algorithm: 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** Parts several signatures in one header; undefined: there is always one. */
  readonly separator?: string;
  /** Whether hexadecimal in upper case is the same signature. */
  readonly upperCaseToo?: true;
  /** Whether the header holds `name=value` pairs apart by commas. */
  readonly pairs?: true;
  /** Unit of the signed time; undefined: none is signed. */
  readonly unit?: 's' | 'ms' | 'iso';
  readonly signed: (texts: SignedTexts, body: Uint8Array) => Buffer;
  /** The headers that carry this text as the signature. */
  readonly headers: (signature: string, texts: SignedTexts) => Record<string, string>;
}

const SECRET = 'a-signing-secret-of-the-merchant';
const STANDARD_KEY = Buffer.from('thirty-two random bytes, or not.');
const STANDARD_SECRET = `whsec_${STANDARD_KEY.toString('base64')}`;

const joined = (...parts: (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

type Written = Omit<SchemeCase, 'name' | 'secret' | 'key' | 'algorithm' | 'header'> & Partial<SchemeCase>;

function schemeCase(name: string, written: Written): SchemeCase {
  const secret = written.secret ?? SECRET;
  return { algorithm: 'sha256', header: 'x-signature', key: Buffer.from(secret), ...written, name, secret };
}

export const BODY_ONLY = schemeCase('hmac, hex of the body', {
  scheme: hmac({
    header: 'X-Signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: 'sha256=',
    payload: ['body'],
  }),
  upperCaseToo: true,
  encoding: 'hex',
  signed: (_, body) => Buffer.from(body),
  headers: (signature) => ({ 'x-signature': `sha256=${signature}` }),
});

const WITH_TIME = schemeCase('hmac, hex of seconds and body', {
  scheme: hmac({
    header: 'x-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    timestamp: { header: 'x-time', unit: 's', toleranceSeconds: 300 },
    payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
  }),
  upperCaseToo: true,
  encoding: 'hex',
  unit: 's',
  signed: ({ time }, body) => joined('v0:', time, ':', body),
  headers: (signature, { time }) => ({ 'x-signature': signature, 'x-time': time }),
});

const WITH_MILLISECONDS = schemeCase('hmac, base64 list of milliseconds, id and body', {
  scheme: hmac({
    header: 'x-signature',
    algorithm: 'sha512',
    encoding: 'base64',
    prefix: 'a=',
    signatures: { separator: '; ' },
    timestamp: { header: 'x-time', unit: 'ms', toleranceSeconds: 300 },
    id: { header: 'x-id' },
    payload: ['timestamp', { literal: '\n' }, 'id', { literal: '\n' }, 'body'],
  }),
  algorithm: 'sha512',
  separator: '; ',
  encoding: 'base64',
  unit: 'ms',
  signed: ({ time, id }, body) => joined(time, '\n', id, '\n', body),
  headers: (signature, { time, id }) => ({ 'x-signature': `a=${signature}`, 'x-time': time, 'x-id': id }),
});

const WITH_ISO = schemeCase('hmac, hex of an ISO time and body', {
  scheme: hmac({
    header: 'x-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    timestamp: { header: 'x-time', unit: 'iso', toleranceSeconds: 300 },
    payload: ['timestamp', { literal: '|' }, 'body'],
  }),
  upperCaseToo: true,
  encoding: 'hex',
  unit: 'iso',
  signed: ({ time }, body) => joined(time, '|', body),
  headers: (signature, { time }) => ({ 'x-signature': signature, 'x-time': time }),
});

export const STANDARD = schemeCase('standardWebhooks()', {
  scheme: standardWebhooks(),
  secret: STANDARD_SECRET,
  key: STANDARD_KEY,
  header: 'webhook-signature',
  separator: ' ',
  encoding: 'base64',
  unit: 's',
  signed: ({ time, id }, body) => joined(id, '.', time, '.', body),
  headers: (signature, { time, id }) => ({
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  }),
});

export const STRIPE = schemeCase('stripeStyle()', {
  pairs: true,
  scheme: stripeStyle({ header: 'X-Signature' }),
  secret: STANDARD_SECRET,
  encoding: 'hex',
  unit: 's',
  signed: ({ time }, body) => joined(time, '.', body),
  headers: (signature, { time }) => ({ 'x-signature': `t=${time},v1=${signature}` }),
});

const STRIPE_MILLISECONDS = schemeCase('stripeStyle() with other words', {
  pairs: true,
  scheme: stripeStyle({ header: 'x-signature', unit: 'ms', signatureKey: 's', separator: '#' }),
  encoding: 'hex',
  unit: 'ms',
  signed: ({ time }, body) => joined(time, '#', body),
  headers: (signature, { time }) => ({ 'x-signature': `t=${time},s=${signature}` }),
});

export const SCHEME_CASES: readonly SchemeCase[] = [
  BODY_ONLY,
  WITH_TIME,
  WITH_MILLISECONDS,
  WITH_ISO,
  STANDARD,
  STRIPE,
  STRIPE_MILLISECONDS,
];

/** A moment as a sender of this unit writes it. */
export function timeText(unit: SchemeCase['unit'], moment: number): string {
  if (unit === 'iso') return new Date(moment).toISOString();
  return String(unit === 'ms' ? moment : Math.floor(moment / 1_000));
}

/** The signature alone, computed without the package. */
export function signatureOf(
  { algorithm, encoding, key, signed }: SchemeCase,
  texts: SignedTexts,
  body: Uint8Array,
  other: {
    readonly algorithm?: string;
    readonly key?: Uint8Array;
    readonly encoding?: 'hex' | 'base64';
  } = {},
): string {
  return createHmac(other.algorithm ?? algorithm, other.key ?? key)
    .update(signed(texts, body))
    .digest(other.encoding ?? encoding);
}

/** The spellings of a signature that a scheme takes. */
export function spellingsOf({ upperCaseToo }: SchemeCase, signature: string): readonly string[] {
  return upperCaseToo ? [signature, signature.toUpperCase()] : [signature];
}

/** A delivery; a list is a header that was sent so many times. */
export function delivery(
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Uint8Array,
): RawWebhook {
  return { headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value].flat()])), body };
}
