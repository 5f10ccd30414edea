import {
  type BatchLine,
  type BatchRecord,
  type BatchStore,
  type LineChange,
  type SameRecipient,
} from '../../storage/batch-store.js';
import { type LineWord, resultOf } from '../batch/line-result.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';
import { unpaidAs } from './line-mark.js';

const DAY_MS = 86_400_000;
/** Nobody reads more of them. */
const MOST_OTHERS = 20;

/** For each of some lines of a load the others that go to its recipient. */
export async function sameRecipients(
  store: BatchStore,
  load: string,
  lines: readonly BatchLine[],
  { sameRecipientWithinDays }: Pick<ResolvedBatchPolicy, 'sameRecipientWithinDays'>,
): Promise<ReadonlyMap<number, readonly SameRecipient[]>> {
  if (sameRecipientWithinDays === 0) return new Map();
  const asked = lines.map(({ number, cents, recipient }) => ({ number, cents, recipients: [recipient] }));
  const same = await store.sameRecipients(load, asked, sameRecipientWithinDays * DAY_MS, MOST_OTHERS);
  const byLine = new Map<number, SameRecipient[]>();
  for (const other of same) {
    const others = byLine.get(other.number);
    if (others) others.push(other);
    else byLine.set(other.number, [other]);
  }
  return byLine;
}

/** What a person reads of it, and takes responsibility for. */
export function sameRecipientText({ batch, key }: Pick<SameRecipient, 'batch' | 'key'>): string {
  return `the line ${key} of the batch ${batch} goes to the same recipient`;
}

/** Between the findings of a line. */
export const AND = ', and ';

/** Whether a person who gave a word for a line saw this finding. */
export function isNamed(finding: string, word: LineWord | undefined): boolean {
  return word?.detail?.split(AND).includes(finding) ?? false;
}

/**
 * Blocks lines whose recipient got the same amount in another batch after the check, and returns the numbers of all of them. If
 * two batches send at the same moment, each has marked its lines before it looks: one of them sees the other, or both do, and
 * neither pays.
 *
 * @param lines They are marked as `sending`: another run of the job may have sent some.
 * @param withdraw Returns those of which certainly no money moved or will. The others stay as they are.
 */
export async function blockPaidElsewhere(
  store: BatchStore,
  place: Pick<BatchRecord, 'batch' | 'load'>,
  lines: readonly BatchLine[],
  policy: Pick<ResolvedBatchPolicy, 'sameRecipientWithinDays'>,
  withdraw: (lines: readonly BatchLine[]) => Promise<readonly BatchLine[]>,
): Promise<readonly number[]> {
  if (lines.length === 0) return [];
  const same = await sameRecipients(store, place.load, lines, policy);
  const paidElsewhere = new Map<number, string>();
  for (const line of lines) {
    const result = resultOf(line.result);
    const news = (same.get(line.number) ?? [])
      .filter(({ batch }) => batch !== place.batch)
      .map(sameRecipientText)
      .filter((found) => !isNamed(found, result.word));
    if (news.length === 0) continue;
    const found = news.join(AND);
    const problems = [...new Set([...(result.problems ?? []), 'same-recipient'])];
    const detail = result.detail ? `${result.detail}${AND}${found}` : found;
    paidElsewhere.set(line.number, JSON.stringify({ ...result, problems, detail }));
  }
  const unpaid = await withdraw(lines.filter(({ number }) => paidElsewhere.has(number)));
  const changes = unpaid.map((line): LineChange => ({
    ...unpaidAs(line, 'blocked'),
    result: paidElsewhere.get(line.number) ?? line.result,
  }));
  // Another job of the chunk may have blocked some before: they stay unpaid here, too.
  if (changes.length > 0) await store.change(place.load, changes);
  return changes.map(({ number }) => number);
}
