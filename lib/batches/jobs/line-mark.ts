import { randomBytes } from 'node:crypto';
import { type PaymentsJournal } from '../../journal/payments-journal.js';
import {
  type BatchLine,
  type BatchStore,
  type LineChange,
  type LineState,
} from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { resultOf } from '../batch/line-result.js';
import { paymentReference } from '../batch/payment-reference.js';
import { lineFrom } from '../lines/payout-line.js';
import { inParallel } from './in-parallel.js';
import { journalState, OPERATIONS } from './journal-state.js';

/*
 * How a line that may be sent becomes unpaid again. Several runs may work on it, and each may stand still for any time: what the
 * journal does not hold now may be written there a moment later. So each run that is about to send a line marks it first, and each
 * mark has an owner:
 *
 * - A run sends a line only if it marked it itself, or took it over from a run that may have died.
 * - The run that marked a line, which nobody took over, knows what it has sent itself.
 * - Any other run takes the line over and gives its next attempt up in the journal, so that an earlier owner cannot send it.
 * - A line becomes unpaid only if nobody has changed it since it was marked or taken over.
 */

/** A mark that no other run has. */
export function newMark(): string {
  return randomBytes(8).toString('hex');
}

/** Marks a line for a run, if nobody changed it since it was read. */
export function marking(line: BatchLine, to: LineState, mark: string): LineChange {
  const result = JSON.stringify({ ...resultOf(line.result), mark });
  return { number: line.number, from: [line.state], at: line.updatedAt, to, result };
}

/** Whether a line is being sent under this mark. */
export function isMarked({ state, result }: BatchLine, mark: string): boolean {
  return state === 'sending' && resultOf(result).mark === mark;
}

/** Whether nobody has changed a line that is being sent since it was read. */
export async function isUnchanged(
  store: Pick<BatchStore, 'line'>,
  load: string,
  { key, updatedAt }: BatchLine,
): Promise<boolean> {
  const now = await store.line(load, key);
  return now?.state === 'sending' && now.updatedAt === updatedAt;
}

/** Takes a line over from the run that marked it. Returns it as it is then; undefined if somebody else has changed it since it was read. */
export async function takeOver(
  store: Pick<BatchStore, 'change' | 'line'>,
  load: string,
  line: BatchLine,
): Promise<BatchLine | undefined> {
  const mark = newMark();
  await store.change(load, [marking(line, line.state, mark)]);
  const now = await store.line(load, line.key);
  return now?.state === line.state && resultOf(now.result).mark === mark ? now : undefined;
}

/** The states that say of a line that was marked that it was not paid. */
const UNPAID: readonly LineState[] = ['checked', 'blocked', 'refused'];

/** Whether a change calls a line unpaid that a run may be sending. */
export function isUnpaying({ to }: LineChange): boolean {
  return UNPAID.includes(to);
}

/** Makes a line unpaid if nobody has changed it since it was read. */
export function unpaidAs({ number, state, updatedAt: at }: BatchLine, to: LineState): LineChange {
  return { number, from: [state], at, to };
}

/** A batch at work. */
export interface BatchPlace {
  readonly batch: string;
  readonly load: string;
}

/** Gives up the next attempt to send a line. False if its money may have moved. */
export async function giveUpLine(
  journal: Pick<PaymentsJournal, 'giveUp'>,
  batch: string,
  { key, content }: BatchLine,
): Promise<boolean> {
  const { amount, recipient } = lineFrom(content);
  const operation = OPERATIONS[recipient.kind];
  const reference = paymentReference(batch, key);
  return journal.giveUp({ family: 'disbursement', reference, operation, amount, currency: 'TZS' });
}

/**
 * Those lines of which certainly no money moved, and none will by a call that has begun: the journal never heard of them, or the
 * gateway refused them. They are returned as they are then: a change with their `updatedAt` makes them unpaid.
 *
 * @param isOwn Whether this run marked a line itself, and sent nothing of it.
 */
export async function withdrawn(
  { services: { journal }, store }: Pick<BatchAccount, 'services' | 'store'>,
  { batch, load }: BatchPlace,
  lines: readonly BatchLine[],
  atOnce: number,
  isOwn: (line: BatchLine) => boolean = () => false,
): Promise<readonly BatchLine[]> {
  const unpaid: BatchLine[] = [];
  await inParallel(lines, atOnce, async (line) => {
    const known = await journalState(journal, batch, line);
    if (known !== undefined && known !== 'refused') return;
    const own = isOwn(line) ? line : await takeOver(store, load, line);
    if (own && (isOwn(line) || (await giveUpLine(journal, batch, own)))) unpaid.push(own);
  });
  return unpaid;
}
