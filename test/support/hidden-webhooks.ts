import { createHash, createHmac, randomUUID } from 'node:crypto';
import { type WebhookScheme } from 'nestjs-payments';
import { type WebhookFacts } from 'nestjs-payments/sandbox';
import { type Random } from './random.js';

type Sign = NonNullable<WebhookScheme['sign']>;
type Unit = 's' | 'ms' | 'iso';
type Mac = ReturnType<typeof createHmac>;
type SecretForm = 'utf8' | 'base64' | 'hex' | 'whsec';

/** How a gateway signs that nobody knows yet. Its signatures are made here, without the code of the package. */
export interface HiddenSignature {
  /** What is to be learnt; undefined: the tool does not know this way. */
  readonly facts: WebhookFacts | undefined;
  /** The text of the secret that the user has. */
  readonly secret: string;
  readonly sign: Sign;
  /** Every signature that was made, without what stands before it. */
  readonly made: readonly string[];
  /** The header with the signed time, and its unit; undefined: none, or not in a header of its own. */
  readonly time?: { readonly header: string; readonly unit: Unit };
}

const HEADERS = ['x-webhook-signature', 'x-signature', 'x-sig', 'signature', 'x-pay-hmac'];
const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const;
const ENCODINGS = ['hex', 'base64', 'base64url'] as const;
const WITH_TIME = [
  '{timestamp}.{body}',
  '{timestamp}{body}',
  '{timestamp}:{body}',
  'v0:{timestamp}:{body}',
  '{body}{timestamp}',
  '{body}.{timestamp}',
];
const WITH_ID = ['{id}.{timestamp}.{body}', '{timestamp}.{id}.{body}'];
const PUNCTUATION = 'abcXYZ019!?*~^%';
const BASE64 = 'ABCDEFabcdef0189';

/** One of the ways that the package has options for. */
export function knownSignature(random: Random): HiddenSignature {
  return random.pick([hmacSignature, hmacSignature, standardSignature, stripeSignature])(random);
}

function hmacSignature(random: Random): HiddenSignature {
  const header = random.pick(HEADERS);
  const algorithm = random.pick(ALGORITHMS);
  const encoding = random.pick(ENCODINGS);
  const prefix = random.pick(['', '', `${algorithm}=`, 'v0=', 'HMAC ']);
  const template = random.pick(['{body}', '{body}', random.pick(WITH_TIME), random.pick(WITH_ID)]);
  const unit = random.pick(['s', 'ms', 'iso'] as const);
  const time = template.includes('{timestamp}')
    ? { header: random.pick(['x-t', 'x-sent']), unit }
    : undefined;
  const id = template.includes('{id}') ? { header: random.pick(['x-delivery-id', 'id']) } : undefined;
  const { text, key, form } = secretOf(random, ['utf8', 'base64', 'hex']);
  const made: string[] = [];
  const isUpperCase = encoding === 'hex' && random.chance(0.2);
  return {
    secret: text,
    made,
    ...(time && { time }),
    facts: {
      scheme: 'hmac',
      header,
      algorithm,
      encoding,
      ...(prefix !== '' && { prefix }),
      payload: partsOf(template),
      ...(time && { timestamp: time }),
      ...(id && { id }),
      ...((form === 'base64' || form === 'hex') && { secretEncoding: form }),
    },
    sign: ({ body, now, id: delivery = '' }) => {
      const moment = momentOf(now, unit);
      const mac = macOf(createHmac(algorithm, key), template, { body, moment, id: delivery });
      const signature = mac.digest(encoding);
      made.push(signature);
      return {
        [header]: prefix + (isUpperCase ? signature.toUpperCase() : signature),
        ...(time && { [time.header]: moment }),
        ...(id && { [id.header]: delivery }),
      };
    },
  };
}

function standardSignature(random: Random): HiddenSignature {
  const prefix = random.pick(['webhook', 'svix', 'x-pay']);
  const { text, key, form } = secretOf(random, ['base64', 'whsec', 'utf8', 'hex']);
  return {
    secret: text,
    made: [],
    time: { header: `${prefix}-timestamp`, unit: 's' },
    facts: {
      scheme: 'standardWebhooks',
      ...(prefix !== 'webhook' && { prefix }),
      ...((form === 'utf8' || form === 'hex') && { secretEncoding: form }),
    },
    sign: ({ body, now, id = '' }) => {
      const moment = momentOf(now, 's');
      const mac = macOf(createHmac('sha256', key), '{id}.{timestamp}.{body}', { body, moment, id });
      return {
        [`${prefix}-id`]: id,
        [`${prefix}-timestamp`]: moment,
        [`${prefix}-signature`]: `v1,${mac.digest('base64')}`,
      };
    },
  };
}

function stripeSignature(random: Random): HiddenSignature {
  const header = random.pick(HEADERS);
  const unit = random.pick(['s', 'ms'] as const);
  const signatureKey = random.pick(['v1', 's', 'sig_2', 'V']);
  const separator = random.pick(['.', ':']);
  const { text, key, form } = secretOf(random, ['utf8', 'base64', 'hex']);
  return {
    secret: text,
    made: [],
    facts: {
      scheme: 'stripeStyle',
      header,
      ...(unit === 'ms' && { unit }),
      ...(signatureKey !== 'v1' && { signatureKey }),
      ...(separator !== '.' && { separator }),
      ...((form === 'base64' || form === 'hex') && { secretEncoding: form }),
    },
    sign: ({ body, now }) => {
      const moment = momentOf(now, unit);
      const mac = macOf(createHmac('sha256', key), `{timestamp}${separator}{body}`, { body, moment, id: '' });
      return { [header]: `t=${moment},${signatureKey}=${mac.digest('hex')}` };
    },
  };
}

/** A way that the package has no options for, or that nobody could find out. */
export function unknownSignature(random: Random): HiddenSignature {
  const header = random.pick(HEADERS);
  const { text: secret, key } = secretOf(random, ['utf8', 'base64', 'hex']);
  const hmac = (): Mac => createHmac('sha256', key);
  const ways: readonly Sign[] = [
    ({ body }) => ({ [header]: hmac().update(Buffer.from(body).reverse()).digest('hex') }),
    ({ body }) => ({ [header]: createHash('sha256').update(secret).update(body).digest('hex') }),
    ({ body }) => ({ [header]: hmac().update('POST /hooks ').update(body).digest('base64') }),
    ({ body }) => ({ [header]: hmac().update(body.subarray(0, 20)).digest('hex') }),
    ({ body, now }) => ({ [header]: `t=${now},v1=${hmac().update(`${now}#`).update(body).digest('hex')}` }),
    ({ body, now }) => ({ [header]: `t=${now},v1=${hmac().update(String(now)).update(body).digest('hex')}` }),
    ({ body }) => ({ [header]: createHmac('sha1', key).update(body).digest('hex') }),
    ({ body }) => ({ [header]: hmac().update(body).update('\n').digest('hex') }),
    () => ({ [header]: random.bytes(64).toString('base64') }),
    () => ({ [header]: '' }),
    () => ({}),
  ];
  return { facts: undefined, secret, made: [], sign: random.pick(ways) };
}

/** A gateway that signs each event once, and sends the same headers again. */
export function signedOnce(sign: Sign): Sign {
  const signed = new Map<string, Record<string, string>>();
  return (input) => {
    const { id = '' } = input;
    const headers = signed.get(id) ?? sign(input);
    signed.set(id, headers);
    return headers;
  };
}

/** What a header beside the signature may hold. Each one is another trap for the search. */
export const STRANGE_HEADERS: Readonly<
  Record<string, (input: Parameters<Sign>[0], hidden: HiddenSignature) => Record<string, string>>
> = {
  'x-odd': () => ({ 'x-odd': 'Asha Juma, 255712345678' }),
  'a-request-id': () => ({ 'a-request-id': randomUUID() }),
  'a-legacy': ({ body, key }) => ({ 'a-legacy': createHmac('sha1', key).update(body).digest('hex') }),
  'a-time': ({ now }, { time }) => ({ 'a-time': momentOf(now, time?.unit ?? 's') }),
};

function secretOf(random: Random, forms: readonly SecretForm[]) {
  const form = random.pick(forms);
  const bytes = random.bytes(32);
  const words = ['utf8', 'hex-like', 'marked'] as const;
  const texts: Readonly<Record<(typeof words)[number], string>> = {
    utf8: random.text(PUNCTUATION, 32),
    'hex-like': bytes.toString('hex'),
    marked: `whsec_${random.text(BASE64, 32)}`,
  };
  if (form === 'utf8') {
    const text = texts[random.pick(words)];
    return { form, text, key: Buffer.from(text) };
  }
  if (form === 'whsec') return { form, text: `whsec_${bytes.toString('base64')}`, key: bytes };
  return { form, text: bytes.toString(form), key: bytes };
}

function macOf(
  mac: Mac,
  template: string,
  values: { readonly body: Uint8Array; readonly moment: string; readonly id: string },
): Mac {
  for (const piece of template.split(/(\{\w+\})/)) {
    if (piece === '{body}') mac.update(values.body);
    else mac.update(piece.replace('{timestamp}', values.moment).replace('{id}', values.id));
  }
  return mac;
}

function partsOf(template: string) {
  return template
    .split(/\{(\w+)\}/)
    .map((piece, place) => (place % 2 === 0 ? { literal: piece } : (piece as 'body' | 'timestamp' | 'id')))
    .filter((part) => typeof part !== 'object' || part.literal !== '');
}

function momentOf(now: number, unit: Unit): string {
  if (unit === 'iso') return new Date(now).toISOString();
  return String(unit === 's' ? Math.floor(now / 1_000) : now);
}
