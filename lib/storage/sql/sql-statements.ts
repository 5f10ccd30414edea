import { type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { type InboxDelivery, type InboxKey } from '../inbox-store.js';
import {
  type ForgettablePayments,
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type TombstoneEnd,
} from '../journal-store.js';
import { type InboxScope, type JournalState, type SetAsideKind } from '../../common/vocabulary.js';
import { type DailyShare } from '../daily-cap.js';
import { type BatchStatements } from './batch-statements.js';
import { type ReconciliationStatements } from './reconciliation-statements.js';
import { type HeldKey, type SqlScript } from './sql-database.js';

/** The operations of the storage, in the words of one dialect. */
export interface SqlStatements {
  readonly inbox: InboxStatements;
  readonly journal: JournalStatements;
  /**
   * Those for a transaction of the application, whose settings stay as they are. They write nothing that can be sent if
   * the transaction that got the token has ended meanwhile. @default `journal`
   */
  readonly joinedJournal?: (token: string) => JournalStatements;
  readonly conflicts: ConflictStatements;
  readonly dailyCaps: DailyCapStatements;
  /** Absent: the dialect keeps no batches. */
  readonly batches?: BatchStatements;
  /** Absent: the dialect keeps nothing of reconciliation. */
  readonly reconciliation?: ReconciliationStatements;
}

/** The accounts after one in the order of account and environment: some of the next ones, or no row after the last. */
export type AccountsScript = (after: InboxScope, limit: number) => SqlScript;

/** The operations of the inbox. */
export interface InboxStatements {
  /**
   * One row: the claim (`fence`), or else an entry that existed (`state`). No row: if the entry must exist, it
   * did not; else another entry was written meanwhile.
   */
  claim(delivery: InboxDelivery, leaseMs: number): SqlScript;
  /** A row: this outcome was handled, and the delivery adds nothing to its entry. */
  isDone(delivery: InboxDelivery): SqlScript;
  /** Affects no row if the entry has a provider reference already, or is another outcome's. */
  adopt(delivery: InboxDelivery): SqlScript;
  /** Affects one row, or returns one, also for an entry that this claim has already finished. */
  finish(held: HeldKey): SqlScript;
  fail(held: HeldKey): SqlScript;
  withdraw(held: HeldKey): SqlScript;
  /** No row: another claim has taken the entry. */
  state(held: HeldKey): SqlScript;
  /** Affects no row if the claim has ended. */
  mark(held: HeldKey, handler: string): SqlScript;
  /** A row: a claim holds. */
  runs(key: InboxKey): SqlScript;
  /** One batch. */
  purge(scope: InboxScope, olderThanMs: number): SqlScript;
  readonly accounts: AccountsScript;
}

/** Where a page of the journal begins. */
export interface PageStart {
  readonly createdAt: string;
  readonly id: string;
}

/** The operations of the journal. */
export interface JournalStatements {
  /**
   * `inserted` is `no` for an existing row, and `instead` if there may be a tombstone beside the new row. No row: there
   * is a tombstone, or another row was written meanwhile.
   */
  insert(record: JournalRecord, leaseMs: number): SqlScript;
  get(key: JournalKey): SqlScript;
  tombstone(key: JournalKey): SqlScript;
  endTombstone(key: JournalKey, ended: TombstoneEnd): SqlScript;
  /** No row: the record has another version. */
  replace(version: number, record: JournalRecord, leaseMs: number): SqlScript;
  remove(key: JournalKey, version: number): SqlScript;
  list(scope: JournalScope, except: readonly JournalState[], start: PageStart, limit: number): SqlScript;
  /** One batch. */
  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): SqlScript;
  readonly accounts: AccountsScript;
}

/** The operations of the daily caps. */
export interface DailyCapStatements {
  /**
   * As `JournalStatements.insert`. `inserted` is `reached`, with the day in `reached_on`, if the day has no room. Else
   * `counted_on` is the day that counts the payment.
   */
  insert(record: JournalRecord, leaseMs: number, share: DailyShare): SqlScript;
  /** As `JournalStatements.replace`. With `reached_on` if the day has no room, else with `counted_on`. */
  replace(version: number, record: JournalRecord, leaseMs: number, share: DailyShare): SqlScript;
  release(scope: JournalScope, day: number, cents: number): SqlScript;
}

/** The operations of the conflicts. */
export interface ConflictStatements {
  setAside(delivery: SetAsideDelivery): SqlScript;
  list(scope: InboxScope, after: string, limit: number): SqlScript;
  get(scope: InboxScope, id: string): SqlScript;
  /** Affects one row, if the entry has not been delivered again. */
  replacePayload(entry: InboxConflict, payload: string): SqlScript;
  remove(scope: InboxScope, id: string): SqlScript;
  /** One batch. */
  purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): SqlScript;
  readonly accounts: AccountsScript;
}
