import { hash } from 'node:crypto';
import { type StatementRow } from '../statement/statement-row.js';
import { type RowMoney } from './classify-payment.js';

const BITS = 256;

/**
 * Says whether two statements have the same rows, in any order: the same statement may be sorted otherwise when it is fetched again.
 * It leaves out the recipients: a close keeps the digest, and a reader could try every phone number until the digest of a short
 * statement is right.
 */
export class StatementDigest {
  /** Of the hash of each row. Unlike the hash of all rows, it does not depend on their order. */
  private sum = 0n;
  private rows = 0;

  add({ kind, reference }: StatementRow, { cents, feeCents, at, isFailed }: RowMoney): void {
    const row = JSON.stringify([kind, reference, cents, feeCents, at, isFailed]);
    this.sum = BigInt.asUintN(BITS, this.sum + BigInt(`0x${hash('sha256', row)}`));
    this.rows += 1;
  }

  /** Hexadecimal. */
  get text(): string {
    return hash('sha256', `${this.rows} ${this.sum}`);
  }
}
