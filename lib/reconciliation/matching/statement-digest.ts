import { createHash } from 'node:crypto';
import { type StatementRow } from '../statement/statement-row.js';
import { type RowMoney } from './classify-payment.js';

/**
 * Says whether two statements have the same rows, in the same order. It leaves out the recipients: a close keeps the digest, and
 * a reader could try every phone number until the digest of a short statement is right.
 */
export class StatementDigest {
  private readonly hash = createHash('sha256');

  add({ kind, reference }: StatementRow, { cents, feeCents, at, isFailed }: RowMoney): void {
    this.hash.update(JSON.stringify([kind, reference, cents, feeCents, at, isFailed]));
  }

  /** Hexadecimal. */
  get text(): string {
    return this.hash.copy().digest('hex');
  }
}
