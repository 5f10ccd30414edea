import { parseCents } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { DailyCapReachedError } from '../../errors/daily-cap.error.js';
import { failureLabel, type PaymentsError } from '../../errors/payments-errors.js';
import { type DailyCapReached, dailyCapDay, type DailyShare, endOfDay } from '../../storage/daily-cap.js';
import {
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { begunAtOf } from '../../storage/stored-record.js';
import { notByThisCall, stillPlanned } from './repeated-call-errors.js';

/** The option that says how much an account may pay on one day. */
export interface DailyCapRules {
  readonly limits: ResolvedPaymentsOptions['limits'];
}

/** The day has no room for a payment, and what the journal holds of it. */
export interface NoRoom extends DailyCapReached {
  /** The record of the payment, which stays as it is; absent if there is none. */
  readonly before: JournalRecord | undefined;
  /** What the payment would have taken. */
  readonly share: DailyShare;
}

/** Whether a payment is larger than a whole day, so that no other day has room for it either. */
export function neverFits({ cents, maxCents = Infinity }: DailyShare): boolean {
  return cents > maxCents;
}

/** What an attempt takes from its day; undefined if the same attempt was counted on this day before. */
export function shareOf(
  record: JournalRecord,
  existing: StoredJournalRecord | undefined,
  perDay: NonNullable<DailyCapRules['limits']['collection']['perDay']>,
): DailyShare | undefined {
  const isCounted = existing?.record.attempt === record.attempt && isCountedToday(existing);
  return isCounted ? undefined : { cents: centsOf(record), ...perDay };
}

function isCountedToday(existing: StoredJournalRecord): boolean {
  const day = countedDay(existing);
  return day !== undefined && day >= dailyCapDay(existing.updatedAt + existing.idleMs);
}

/** Writes the first record of an attempt, and counts it, if its day has room. */
export async function writeCounted(
  store: JournalStore,
  record: JournalRecord,
  existing: StoredJournalRecord | undefined,
  leaseMs: number,
  share: DailyShare,
): Promise<Written | NoRoom> {
  const { dailyCaps } = store;
  if (!dailyCaps) throw new TypeError('The storage counts no payments.');
  const { countedOn: _earlier, ...attempt } = record;
  const counted: JournalRecord = { ...attempt, counted: true };
  const written = existing
    ? await dailyCaps.replace(existing.version, counted, leaseMs, share)
    : await dailyCaps.insert(counted, leaseMs, share);
  if (!written) return { stored: await store.get(record) };
  if ('reachedOn' in written) {
    return { reachedOn: written.reachedOn, before: existing?.record, share };
  }
  const { stored, tombstone } = 'record' in written ? { stored: written, tombstone: undefined } : written;
  const { countedOn } = written;
  if (!stored || countedOn === undefined) return { stored, tombstone };
  // A statement that waited at midnight may be counted on another day than the time of its attempt says.
  return { stored: { ...stored, record: { ...stored.record, countedOn } } };
}

/** The record in the store after the first one of an attempt was written, or what is left of a forgotten payment. */
interface Written {
  readonly stored?: StoredJournalRecord | undefined;
  readonly tombstone?: PaymentTombstone | undefined;
}

/** A record that says on which day its attempt was counted, if it was: the time of the attempt may change. */
export function withCountedDay(existing: StoredJournalRecord): StoredJournalRecord {
  const countedOn = countedDay(existing);
  return countedOn === undefined ? existing : { ...existing, record: { ...existing.record, countedOn } };
}

/** The day on which an attempt was counted; undefined if it does not count. */
function countedDay(existing: StoredJournalRecord): number | undefined {
  const { counted, countedOn } = existing.record;
  if (!counted) return undefined;
  return countedOn ?? dailyCapDay(begunAtOf(existing));
}

/**
 * Gives back what an attempt took from its day, if the record that was written over it does not count on this day. Never
 * rejects: the day has less room then, and no payment is lost.
 *
 * A client of the store that repeats a command after a lost answer may give back twice. Then the day has room for one
 * payment more; no counter goes below 0.
 */
export async function releaseShare(
  store: JournalStore,
  stored: StoredJournalRecord,
  written: JournalRecord | undefined,
): Promise<void> {
  const { record } = stored;
  const day = countedDay(stored);
  if (day === undefined || !store.dailyCaps) return;
  if (written && countedDay({ ...stored, record: written }) === day) return;
  try {
    await store.dailyCaps.release(record, day, centsOf(record));
  } catch (error) {
    new SafeLogger('PaymentsJournal').warn(
      `The ${record.family} ${quoted(record.reference)} of the account ${quoted(record.account)} was not made, and still counts towards the daily cap: ${failureLabel(error)}`,
    );
  }
}

/** The error of a payment for which its day has no room. A planned one stays planned, and is sent on another day. */
export function dailyCapReached(
  payment: Pick<JournalRecord, 'account' | 'family' | 'operation' | 'reference'>,
  { reachedOn, before, share }: NoRoom,
): PaymentsError {
  const { account, family, operation, reference } = payment;
  const option = `limits.${family}.perDay`;
  const error = new DailyCapReachedError(
    new Date(endOfDay(reachedOn)),
    `the account ${quoted(account)} has reached its cap of ${family}s for the day (${option})`,
    {
      operation,
      reference,
      hint: `Make the same call again when the next day has begun, or raise ${option}.`,
    },
  );
  if (before?.state === 'planned')
    return stillPlanned(error, neverFits(share) ? noDayFits(option) : undefined);
  return before?.state === 'rejected' && before.keepsKey ? notByThisCall(error, TURNED_AWAY_BEFORE) : error;
}

const TURNED_AWAY_BEFORE =
  'Make the same call again when the next day has begun: the gateway turned an earlier call away, and may have made the payment anyway. Do not pay under another reference.';

function noDayFits(option: string): string {
  return `No day has room for this amount, so the payment stays planned until you raise ${option}.amount. Only PaymentsJournal.settle() with the outcome failed gives it up.`;
}

/** Logs that enlisted payments wait for the next day, once a day and family, and which ones are too large for any day. */
export class WaitingPaymentsLog {
  private readonly logger = new SafeLogger('PaymentsJournal');
  private readonly logged = new Set<string>();
  private day = 0;

  report({ account, family, reference }: JournalRecord, { reachedOn, share }: NoRoom): void {
    if (reachedOn !== this.day) this.logged.clear();
    this.day = reachedOn;
    const isTooLarge = neverFits(share);
    const what = isTooLarge ? `${family} ${reference}` : family;
    if (this.logged.has(what)) return;
    this.logged.add(what);
    const option = `limits.${family}.perDay`;
    const until = new Date(endOfDay(reachedOn)).toISOString();
    this.logger.warn(
      isTooLarge
        ? `The enlisted ${family} ${quoted(reference)} of the account ${quoted(account)} stays planned: it is larger than a whole day, so no day has room for it. Raise ${option}.amount, or give it up with PaymentsJournal.settle().`
        : `Enlisted ${family}s of the account ${quoted(account)} stay planned until ${until}: the account has reached its cap for the day (${option}).`,
    );
  }
}

/** The days that have no room for some payments, of one run of `recover()`, which passes over them. */
export class FullDays {
  private readonly fromCents = new Map<string, number>();

  /** Notes that a payment had no room. A smaller one may have, unless only a number of payments is set. */
  add(record: JournalRecord, { cents, maxCents }: DailyShare): void {
    const known = this.fromCents.get(scopeText(record)) ?? Infinity;
    this.fromCents.set(scopeText(record), maxCents === undefined ? 0 : Math.min(known, cents));
  }

  /** Whether it is known that a payment has no room. One that counts on this day already needs none. */
  has(existing: StoredJournalRecord): boolean {
    const { record } = existing;
    const isFull = centsOf(record) >= (this.fromCents.get(scopeText(record)) ?? Infinity);
    return isFull && !isCountedToday(existing);
  }
}

function scopeText({ account, environment, family }: JournalScope): string {
  return JSON.stringify([account, environment, family]);
}

function centsOf({ amount }: Pick<JournalRecord, 'amount'>): number {
  return Number(parseCents(amount) ?? 0n);
}
