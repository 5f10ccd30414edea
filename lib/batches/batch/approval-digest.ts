import { type BatchRecord } from '../../storage/batch-store.js';
import { hashOf } from '../lines/payout-line.js';
import { type BatchAccount } from './batch-accounts.js';
import { type BatchDetails, detailsOf } from './batch-details.js';
import { type LineWord } from './line-result.js';

/** What approvals are bound to: the lines, and the words that were given for some of them. */
export function approvalDigest(lines: string, { words }: Pick<BatchDetails, 'words'>): string {
  return words === undefined ? lines : hashOf([lines, words]);
}

/** What approvals of a batch as it is stored are bound to. */
export function approvalDigestOf(record: BatchRecord): string {
  return approvalDigest(record.digest ?? '', detailsOf(record));
}

/** The hash of all words of a batch, with those that are given now. */
export function hashOfWords(
  before: string | undefined,
  words: readonly { readonly number: number; readonly word: LineWord }[],
  { storedHashes }: Pick<BatchAccount, 'storedHashes'>,
): string | undefined {
  return words.length === 0 ? before : storedHashes(hashOf([before ?? '', words]))[0];
}
