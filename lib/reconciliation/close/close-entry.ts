import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ReconciliationEntry,
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';
import { type ListPlace } from './carried.js';
import { type BalanceReading, type CloseSummary } from './close-summary.js';

/** A day that was closed. */
export interface ClosedDay {
  readonly summary: CloseSummary;
  /** The reading at the end of the day, with which the next one opens. */
  readonly closing: BalanceReading;
  /** Names the lists of the run that closed the day. */
  readonly token: string;
}

const CLOSED = ['closed'] as const;

/** Greater than every day. */
const AFTER_ALL = '9999';

/** Fields that hold a `Date`. */
const TIMES: ReadonlySet<string> = new Set(['from', 'to', 'closedAt', 'askedAt', 'answeredAt']);

export function closeEntry(scope: InboxScope, closed: ClosedDay): ReconciliationEntry {
  const { day } = closed.summary;
  return { ...scope, kind: 'close', id: day, state: CLOSED[0], details: JSON.stringify(closed) };
}

export function closedDayOf({ entry }: StoredReconciliationEntry): ClosedDay {
  const revive = (field: string, value: unknown): unknown =>
    TIMES.has(field) && typeof value === 'string' ? new Date(value) : value;
  return JSON.parse(entry.details, revive) as ClosedDay;
}

/** The newest close of an account. */
export function lastStoredClose({
  store,
  scope,
}: {
  readonly store: ReconciliationStore;
  readonly scope: InboxScope;
}): Promise<StoredReconciliationEntry | undefined> {
  return store.last(scope, 'close', AFTER_ALL, CLOSED);
}

/** The lists of a close. */
export function listOf(scope: InboxScope, { summary, token }: ClosedDay): ListPlace {
  return { scope, day: summary.day, token };
}
