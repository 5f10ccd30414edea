import { createHash } from 'node:crypto';
import { isRecord, jsonObject } from '../../common/json-object.js';
import { amountProblem, canonicalAmount, type MoneyInput, parseCents } from '../../common/money.js';
import { normalizeTzPhone } from '../../common/phone.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { type NewBatchLine } from '../../storage/batch-store.js';

/**
 * A payout of a batch: to a bank account, or to a phone.
 *
 * @publicApi
 */
export interface PayoutLine {
  /**
   * Identifies the line within its batch, and never changes: for example the staff number. 1 to 64 letters, digits,
   * dashes and underscores. Its payment has the reference `<batch>.<key>`.
   */
  readonly key: string;
  /** The recipient's name, to be compared with the holder's. */
  readonly name: string;
  /** What the recipient gets, in TZS: greater than 0, at most two decimals. */
  readonly amount: MoneyInput;
  /** Code of the bank, in upper or lower case; with `account_number`, and without `phone`. */
  readonly bank_code?: string | undefined;
  /** 4 to 34 letters and digits: leading zeros count. */
  readonly account_number?: string | undefined;
  /** A Tanzanian number in any usual spelling. */
  readonly phone?: string | undefined;
  /** What the payout is for. @default the name of the batch */
  readonly remarks?: string | undefined;
  /** The number of its line in a file, for messages about it. @default its place among the lines */
  readonly line?: number | undefined;
}

/** The recipient of a line. */
export type Recipient =
  | { readonly kind: 'bank'; readonly bankCode: string; readonly account: string }
  | { readonly kind: 'mobile'; readonly phone: string };

/** A line whose fields are right. */
export interface ReadLine {
  readonly key: string;
  readonly name: string;
  /** Two-decimal string. */
  readonly amount: string;
  /** The amount in hundredths of TZS. */
  readonly cents: number;
  readonly recipient: Recipient;
  readonly remarks?: string | undefined;
}

type Problems = { readonly problems: readonly string[] };

/** No dot, because a dot separates the batch from the key, and each pair must be unique. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const ACCOUNT = /^[0-9A-Za-z]{4,34}$/;
/** Not only digits, which may be an account number in the wrong column: summaries show the code. */
const BANK_CODE = /^(?!\d{6})[^\s\p{C}]{1,64}$/u;
/** Has a letter, and does not begin like a formula. Half a character could not be sent. */
const PERSON = /^(?![=+@-])(?!.*\p{Surrogate}).*\p{L}/su;
const LONGEST_TEXT = 255;

/** The rule for the name of a batch and for keys. */
export const NAME_RULE = '1 to 64 letters, digits, dashes and underscores, the first one a letter or digit';

/** Whether a text may be the name of a batch, or a key. */
export function isBatchName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text);
}

/** Reads a line as somebody gave it. Problems say what to write, and repeat no value. */
export function readLine(given: unknown): { readonly line: ReadLine } | Problems {
  const { key, name, amount, remarks, ...to } = isRecord(given) ? given : {};
  const recipient = readRecipient(to);
  const amountWrong = amountProblem(amount);
  const problems = [
    isBatchName(key) ? [] : [`key must be ${NAME_RULE}`],
    isText(name) && PERSON.test(name.trim())
      ? []
      : ['name must be the name of the recipient, at most 255 characters and no formula'],
    amountWrong === undefined ? [] : [`amount ${amountWrong}`],
    isRemarks(remarks) ? [] : ['remarks must be a text of at most 255 characters'],
    'problems' in recipient ? recipient.problems : [],
  ].flat();
  if (problems.length > 0 || 'problems' in recipient) return { problems };
  const canonical = canonicalAmount(amount as MoneyInput);
  const line: ReadLine = {
    key: String(key),
    name: String(name).trim(),
    amount: canonical,
    cents: Number(parseCents(canonical)),
    recipient,
    ...(isText(remarks) && { remarks: remarks.trim() }),
  };
  return { line };
}

/** What is stored of a line. */
export function contentOf({ name, recipient, remarks, amount }: ReadLine): string {
  return JSON.stringify({ name, amount, recipient, ...(remarks !== undefined && { remarks }) });
}

/** The line in what was stored. */
export function lineFrom(content: string): Omit<ReadLine, 'key' | 'cents'> {
  return jsonObject(content) as unknown as Omit<ReadLine, 'key' | 'cents'>;
}

/** A hash that says whether two lines of an account go to the same recipient. */
export function recipientHash({ account, environment }: InboxScope, recipient: Recipient): string {
  const to =
    recipient.kind === 'bank' ? [recipient.bankCode, recipient.account.toUpperCase()] : [recipient.phone];
  return hashOf([account, environment, recipient.kind, ...to]);
}

/** Enough to recognize a recipient, and not enough to pay it. */
export function maskedRecipient(recipient: Recipient): string {
  const masked = (number: string): string => `****${number.slice(-3)}`;
  return recipient.kind === 'bank'
    ? `${recipient.bankCode} ${masked(recipient.account)}`
    : masked(recipient.phone);
}

/** SHA-256 (hex) of the lines of a chunk. */
export function chunkDigest(
  lines: readonly Pick<NewBatchLine, 'number' | 'key' | 'cents' | 'content'>[],
): string {
  return hashOf(lines.map(({ number, key, cents, content }) => [number, key, cents, content]));
}

/** SHA-256 (hex) of all lines, from the digests of their chunks in order. */
export function digestOfChunks(digests: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const digest of digests) hash.update(digest);
  return hash.digest('hex');
}

function readRecipient(to: Readonly<Record<string, unknown>>): Recipient | Problems {
  const { bank_code: bank = '', account_number: account = '', phone = '' } = to;
  const isToBank = bank !== '' || account !== '';
  if (isToBank === (phone !== ''))
    return { problems: ['write either bank_code and account_number, or phone'] };
  if (!isToBank) {
    const normalized = typeof phone === 'string' ? normalizeTzPhone(phone) : undefined;
    if (normalized !== undefined) return { kind: 'mobile', phone: normalized };
    return { problems: ['phone must be a Tanzanian number: write 0712 345 678 or +255 712 345 678'] };
  }
  const problems = [
    typeof bank === 'string' && BANK_CODE.test(bank.trim())
      ? []
      : ['bank_code must be a code of the list of banks, and no account number'],
    typeof account === 'string' && ACCOUNT.test(account)
      ? []
      : [
          'account_number must be 4 to 34 letters and digits; a spreadsheet keeps it whole if the column is text',
        ],
  ].flat();
  if (problems.length > 0) return { problems };
  return { kind: 'bank', bankCode: String(bank).trim().toUpperCase(), account: String(account) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_TEXT;
}

/** Blank remarks are none. */
function isRemarks(value: unknown): value is string | undefined {
  if (value === undefined) return true;
  return typeof value === 'string' && value.length <= LONGEST_TEXT && !/\p{Surrogate}/u.test(value);
}

/** SHA-256 (hex) of a JSON value. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
