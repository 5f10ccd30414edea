import { type InboxScope } from '../../common/vocabulary.js';
import { type ReconciliationEntry, type ReconciliationKind } from '../reconciliation-store.js';
import { type SqlScript } from './sql-database.js';

/** The entries of one kind of an account and environment. */
export interface ReconciliationScope extends InboxScope {
  readonly kind: ReconciliationKind;
}

/** The operations of reconciliation, in the words of one dialect. Each is all or nothing. */
export interface ReconciliationStatements {
  /** Keeps existing rows. */
  add(entries: readonly ReconciliationEntry[]): SqlScript;
  get(scope: ReconciliationScope, id: string): SqlScript;
  /** No row: it has another version. */
  replace(version: number, entry: ReconciliationEntry): SqlScript;
  /** `states` are different ones, and at least one. */
  list(
    scope: ReconciliationScope,
    after: string,
    limit: number,
    states: readonly string[] | undefined,
  ): SqlScript;
  /** `states` as of `list`. */
  last(scope: ReconciliationScope, before: string, states: readonly string[]): SqlScript;
  /** One batch. */
  purge(scope: ReconciliationScope, state: string, olderThanMs: number): SqlScript;
}
