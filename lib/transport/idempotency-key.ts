import { hash } from 'node:crypto';
import { type PaymentsEnvironment } from '../common/account.js';
import { type MoneyOperation } from '../common/operations.js';

/** This package's own namespace. Changing it would change every key, and pay again what is in flight. */
export const KEY_NAMESPACE = '5b0c7e1c-3f0e-4f0a-9a52-6f1d2f6f8b7d';

const NAMESPACE_BYTES = bytesOf(KEY_NAMESPACE);

/** What a key stands for. Nothing volatile and nothing that rotates belongs here. */
export interface KeyedPayment {
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  readonly operation: MoneyOperation;
  readonly reference: string;
  readonly attempt: number;
}

/** UUID version 5: the first 16 bytes of SHA-1 over namespace and name, with version and variant set (RFC 9562 §5.5). */
export function uuidV5(namespace: string | Uint8Array, name: string): string {
  const namespaceBytes = typeof namespace === 'string' ? bytesOf(namespace) : namespace;
  const bytes = hash('sha1', Buffer.concat([namespaceBytes, Buffer.from(name)]), 'buffer');
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The `Idempotency-Key` of a payment: the same payment has the same key after a restart and on every replica. */
export function idempotencyKeyFor(payment: KeyedPayment): string {
  const { account, environment, operation, reference, attempt } = payment;
  return uuidV5(NAMESPACE_BYTES, ['v1', account, environment, operation, reference, attempt].join('|'));
}
