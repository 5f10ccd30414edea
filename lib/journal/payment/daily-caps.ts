import { parseCents } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { DailyCapReachedError } from '../../errors/daily-cap.error.js';
import { failureLabel, type PaymentsError } from '../../errors/payments-errors.js';
import { type DailyCapReached, dailyCapDay, type DailyShare, endOfDay } from '../../storage/daily-cap.js';
import {
  type JournalRecord,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { stillPlanned } from './repeated-call-errors.js';
import { type RequestedPayment } from './repeated-call.js';

/** The option that says how much an account may pay on one day. */
export interface DailyCapRules {
  readonly limits: ResolvedPaymentsOptions['limits'];
}

/** What an attempt takes from its day; undefined if the same attempt was counted before. */
export function shareOf(
  record: JournalRecord,
  before: JournalRecord | undefined,
  perDay: NonNullable<DailyCapRules['limits']['collection']['perDay']>,
): DailyShare | undefined {
  const isCounted = before?.counted === true && before.attempt === record.attempt;
  return isCounted ? undefined : { cents: centsOf(record), ...perDay };
}

/** Writes the first record of an attempt, and counts it, if its day has room. */
export async function writeCounted(
  store: JournalStore,
  record: JournalRecord,
  existing: StoredJournalRecord | undefined,
  leaseMs: number,
  share: DailyShare,
): Promise<Written | DailyCapReached> {
  const { dailyCaps } = store;
  if (!dailyCaps) throw new TypeError('The storage counts no payments.');
  const counted: JournalRecord = { ...record, counted: true };
  if (!existing) return dailyCaps.insert(counted, leaseMs, share);
  const replaced = await dailyCaps.replace(existing.version, counted, leaseMs, share);
  if (replaced && 'reachedOn' in replaced) return replaced;
  return { stored: replaced ?? (await store.get(record)) };
}

/** The record in the store after the first one of an attempt was written, or what is left of a forgotten payment. */
interface Written {
  readonly stored?: StoredJournalRecord | undefined;
  readonly tombstone?: PaymentTombstone | undefined;
}

/**
 * Gives back what an attempt took from its day, if the record that was written over it does not count. Never rejects: the
 * day has less room then, and no payment is lost.
 */
export async function giveBack(
  store: JournalStore,
  { record, updatedAt, idleMs, ageMs }: StoredJournalRecord,
  written: JournalRecord | undefined,
): Promise<void> {
  if (!record.counted || written?.counted || !store.dailyCaps) return;
  try {
    await store.dailyCaps.giveBack(record, dailyCapDay(updatedAt + idleMs - ageMs), centsOf(record));
  } catch (error) {
    new SafeLogger('PaymentsJournal').warn(
      `The ${record.family} ${quoted(record.reference)} was not made, and still counts towards the daily cap: ${failureLabel(error)}`,
    );
  }
}

/** The error of a payment for which its day has no room. An enlisted one stays planned, and is sent on another day. */
export function dailyCapReached(
  {
    family,
    operation,
    reference,
    amount,
  }: Pick<JournalRecord, 'family' | 'operation' | 'reference' | 'amount'>,
  { enlisted }: RequestedPayment,
  { reachedOn }: DailyCapReached,
  { limits }: DailyCapRules,
): PaymentsError {
  const option = `limits.${family}.perDay`;
  const isTooLarge = centsOf({ amount }) > (limits[family].perDay?.maxCents ?? Infinity);
  const error = new DailyCapReachedError(
    new Date(endOfDay(reachedOn)),
    `the account has reached its cap of ${family}s for the day (${option})`,
    {
      operation,
      reference,
      hint: isTooLarge
        ? `No day has room for this amount: raise ${option}.amount.`
        : `Make the same call again when the next day has begun, or raise ${option}.`,
    },
  );
  return enlisted ? stillPlanned(error) : error;
}

/** Logs that enlisted payments wait for the next day, once a day and family. */
export class WaitingPaymentsLog {
  private readonly logger = new SafeLogger('PaymentsJournal');
  private readonly logged = new Map<PaymentFamily, number>();

  report(family: PaymentFamily, { reachedOn }: DailyCapReached): void {
    if (this.logged.get(family) === reachedOn) return;
    this.logged.set(family, reachedOn);
    const until = new Date(endOfDay(reachedOn)).toISOString();
    this.logger.warn(
      `Enlisted ${family}s stay planned until ${until}: the account has reached its cap for the day (limits.${family}.perDay).`,
    );
  }
}

function centsOf({ amount }: Pick<JournalRecord, 'amount'>): number {
  return Number(parseCents(amount) ?? 0n);
}
