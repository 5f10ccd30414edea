import { createHash } from 'node:crypto';

/** The recipient of the money. */
export type Recipient =
  | { readonly kind: 'bank'; readonly bankCode: string; readonly account: string }
  | { readonly kind: 'mobile'; readonly phone: string };

/** One valid row of the file. */
export interface SalaryRow {
  /** The number of its last line in the file, as in an editor. */
  readonly line: number;
  /** The row's own reference: the staff number. */
  readonly reference: string;
  readonly name: string;
  /** Two-decimal string. */
  readonly amount: string;
  readonly recipient: Recipient;
  readonly remarks: string | undefined;
}

/** Identifies a recipient by a hash, because reports contain it. */
export function recipientKey(recipient: Recipient): string {
  const text =
    recipient.kind === 'bank' ? `${recipient.bankCode}/${recipient.account.toUpperCase()}` : recipient.phone;
  return createHash('sha256').update(`${recipient.kind}/${text}`).digest('hex');
}

/** For screens and files: enough to recognize an account, not enough to pay it. */
export function maskedRecipient(recipient: Recipient): string {
  return recipient.kind === 'bank'
    ? `${recipient.bankCode} ${masked(recipient.account)}`
    : masked(recipient.phone);
}

function masked(number: string): string {
  return `****${number.slice(-3)}`;
}
