import { hash } from 'node:crypto';
import { type MoneyOperation } from '../../common/operations.js';
import { type PaymentsEnvironment } from '../../common/vocabulary.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { type JournalKey } from '../../storage/journal-store.js';

/** The package's namespace. Another one would change every key, and pay again what is in flight. */
const KEY_NAMESPACE = '5b0c7e1c-3f0e-4f0a-9a52-6f1d2f6f8b7d';

const NAMESPACE_BYTES = bytesOf(KEY_NAMESPACE);

/** The parts of a key. Nothing that changes or rotates may be among them. */
export interface KeyedPayment {
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  readonly operation: MoneyOperation;
  readonly reference: string;
  readonly attempt: number;
}

/**
 * UUID version 5: the first 16 bytes of SHA-1 over namespace and name, with version and variant set (RFC 9562
 * §5.5).
 */
export function uuidV5(namespace: string | Uint8Array, name: string): string {
  const namespaceBytes = typeof namespace === 'string' ? bytesOf(namespace) : namespace;
  const hex = hash('sha1', Buffer.concat([namespaceBytes, Buffer.from(name)]));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The `Idempotency-Key` of a payment, the same after a restart and on every replica. */
export function idempotencyKeyFor(payment: KeyedPayment): string {
  const { account, environment, operation, reference, attempt } = payment;
  return uuidV5(NAMESPACE_BYTES, ['v1', account, environment, operation, reference, attempt].join('|'));
}

/** Another way to make the hash needs another number, and the old way as long as old records exist. */
const VERSION = 1;

/** The request of a payment as it is sent, and its hash. */
interface WrittenRequest {
  readonly body: string;
  /**
   * Equal for two calls that ask for the same payment: a hash of the operation and the values of the fields. The
   * spelling of the amount and the order of fields make no difference.
   */
  readonly bodyHash: string;
}

/** Equal hashes have equal bytes, unless `amountFormat` has changed: one key must not be sent with two bodies. */
export function writtenRequest({
  operation,
  payment: { amount },
  body: fields = {},
}: Pick<MoneyCall<object>, 'operation' | 'payment' | 'body'>): WrittenRequest {
  const sent = canonicalFields(fields);
  const compared = sent.map((field) =>
    field.startsWith(AMOUNT) ? `${AMOUNT}${JSON.stringify(amount)}` : field,
  );
  const bodyHash = `${VERSION}:${hash('sha256', `${operation}\n{${compared.join(',')}}`)}`;
  return { body: `{${sent.join(',')}}`, bodyHash };
}

const AMOUNT = '"amount":';

/** JSON with the fields of every object in order. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${canonicalFields(value).join(',')}}`;
}

function canonicalFields(value: object): readonly string[] {
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined) fields.push(`${JSON.stringify(name)}:${canonicalText(field)}`);
  }
  return fields;
}

/** A key as text, unique for every payment. */
export function journalKeyText({ account, environment, family, reference }: JournalKey): string {
  return `${environment} ${family} ${account.length} ${account} ${reference}`;
}
