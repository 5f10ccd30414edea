import { type WebhookSecretForm } from './webhook-scheme.js';

const ENCODINGS = ['utf8', 'base64', 'hex'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A signing secret as the options hold it. */
export interface WrittenSecret {
  readonly value: string;
  readonly encoding?: Encoding | undefined;
  /** Whether it may have fewer bytes than its scheme asks for. */
  readonly allowShort?: boolean | undefined;
}

const MIN_KEY_BYTES = 16;

/** What else may be written where a secret is an object. */
const OF_OBJECTS = {
  encoding: ', or correct `encoding`',
  short: ', or, if the gateway gives no other, write { value, allowShort: true }',
};

/**
 * The key of a written secret. Never refuses one: a test that signs a webhook wrongly on purpose needs a key
 * too, and `secretProblem` reports what is wrong.
 */
export function secretBytes(secret: WrittenSecret, form?: WebhookSecretForm): Buffer {
  const [text, encoding] = [encodedKey(secret, form), encodingOf(secret, form)];
  // Its own memory: Buffer.from() would put the key into a pool that other buffers show when they are inspected.
  const bytes = Buffer.alloc(Buffer.byteLength(text, encoding));
  return bytes.subarray(0, bytes.write(text, encoding));
}

/**
 * What makes a written secret useless, as the rest of a sentence without its full stop; undefined if
 * nothing does.
 */
export function secretProblem(
  secret: WrittenSecret,
  form?: WebhookSecretForm,
  instead = OF_OBJECTS,
): string | undefined {
  const { value } = secret;
  if (value.trim() === '') return 'is blank: write the signing secret, or leave the entry out';
  if (value !== value.trim()) return 'begins or ends with white space: remove it';
  const encoding = encodingOf(secret, form);
  const bytes = secretBytes(secret, form);
  if (!isSpelledOut(encodedKey(secret, form), bytes, encoding)) {
    return `is not ${encoding}: write it in that encoding${instead.encoding}`;
  }
  const { maxBytes = Infinity } = form ?? {};
  if (secret.allowShort !== true && isShort(bytes, form)) {
    return `is shorter than ${minBytesOf(form)} bytes and could be guessed: use a longer secret${instead.short}`;
  }
  if (!isSecret(bytes)) return 'is made of zero bytes, which sign like no secret at all: use a random secret';
  if (bytes.length > maxBytes)
    return `is longer than the ${maxBytes} bytes of this scheme: copy the secret alone`;
  return undefined;
}

/** What makes a secret useless that can be written as text alone. */
export function secretTextProblem(value: string, form?: WebhookSecretForm): string | undefined {
  return secretProblem({ value }, form, { encoding: '', short: '' });
}

/** Whether a scheme says how its secrets are written in words that `secretProblem` knows. */
export function isSecretForm(form: unknown): form is WebhookSecretForm {
  if (typeof form !== 'object' || form === null) return false;
  const { encoding, prefix = '', minBytes = 1, maxBytes = 1 } = form as Readonly<Record<string, unknown>>;
  const areNumbers = typeof minBytes === 'number' && typeof maxBytes === 'number';
  return ENCODINGS.includes(encoding as Encoding) && typeof prefix === 'string' && areNumbers;
}

/** HMAC pads a short key with zero bytes: a key without any other byte is the empty key, which everyone has. */
export function isSecret(key: Uint8Array): boolean {
  return key.some((byte) => byte !== 0);
}

/** Whether a key has fewer bytes than its scheme asks for. */
export function isShort(key: Uint8Array, form?: WebhookSecretForm): boolean {
  return key.length < minBytesOf(form);
}

function minBytesOf(form?: WebhookSecretForm): number {
  return form?.minBytes ?? MIN_KEY_BYTES;
}

function encodingOf({ encoding }: WrittenSecret, form?: WebhookSecretForm): Encoding {
  return encoding ?? form?.encoding ?? 'utf8';
}

/** The text without the mark of its scheme, which means nothing in another encoding than the scheme's own. */
function encodedKey(secret: WrittenSecret, form?: WebhookSecretForm): string {
  const mark = form?.prefix ?? '';
  const marked = encodingOf(secret, form) === form?.encoding && secret.value.startsWith(mark);
  return marked ? secret.value.slice(mark.length) : secret.value;
}

/**
 * Whether the text is the bytes written out, and nothing else: a decoder would take more, and cut a mistyped
 * secret short.
 */
function isSpelledOut(text: string, bytes: Buffer, encoding: Encoding): boolean {
  const written = bytes.toString(encoding);
  if (encoding === 'hex') return text.toLowerCase() === written;
  return text === written || (encoding === 'base64' && text === written.replace(/=+$/, ''));
}
