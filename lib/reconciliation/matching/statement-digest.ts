import { createHash } from 'node:crypto';
import { type StatementRow } from '../statement/statement-row.js';
import { type RowMoney } from './judge.js';

/** Says whether two statements have the same rows, in the same order. */
export class StatementDigest {
  private readonly hash = createHash('sha256');

  add({ kind, reference, recipient }: StatementRow, { cents, feeCents, at, isFailed }: RowMoney): void {
    this.hash.update(JSON.stringify([kind, reference, recipient, cents, feeCents, at, isFailed]));
  }

  /** Hexadecimal. */
  get text(): string {
    return this.hash.copy().digest('hex');
  }
}
