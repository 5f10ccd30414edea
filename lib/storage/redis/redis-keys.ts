import { type JournalScope } from '../journal-store.js';
import { type InboxScope, JOURNAL_STATES } from '../../common/vocabulary.js';
import { type InboxKey } from '../inbox-store.js';

/**
 * The states that have an index, in the order of their keys. Planned payments are among the others: no application can plan one in
 * Redis, whose transactions nobody joins.
 */
export const INDEXED_STATES = JOURNAL_STATES.filter((state) => state !== 'planned');

/**
 * The names of the keys. The keys of one account share a hash tag: a cluster keeps them on one node, where a
 * script may use several of them.
 */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  /** The entries by `entryField`, and the time when each was done. */
  inbox(scope: InboxScope): readonly [entries: string, done: string] {
    return [this.of(scope, 'inbox'), this.of(scope, 'inbox:done')];
  }

  /** All accounts. */
  accounts(): string {
    return `${this.prefix}accounts`;
  }

  /** The format of an account's keys. */
  format(scope: InboxScope): string {
    return this.of(scope, 'format');
  }

  /** The deliveries set aside by `setAsideField`, and the time of each one's first arrival. */
  setAside(scope: InboxScope): readonly [entries: string, order: string] {
    return [this.of(scope, 'set-aside'), this.of(scope, 'set-aside:order')];
  }

  /**
   * The payments by reference; the last version; the tombstones; one index per state; one for all states that
   * this version does not know.
   */
  journal(scope: JournalScope): readonly string[] {
    const name = (part: string): string => this.of(scope, `journal:${scope.family}${part}`);
    const indexes = [...INDEXED_STATES, 'other'].map((state) => name(`:${state}`));
    return [name(''), name(':version'), name(':tombstones'), ...indexes];
  }

  /** The keys of the journal, and the counter of the daily cap. */
  countedJournal(scope: JournalScope): readonly string[] {
    return [...this.journal(scope), this.of(scope, `journal:${scope.family}:day`)];
  }

  private of({ account, environment }: InboxScope, name: string): string {
    return `${this.prefix}{${account}:${environment}}:${name}`;
  }
}

/** A reference may contain any text. Only JSON keeps lone surrogates distinct. */
export function referenceField(reference: string): string {
  return JSON.stringify(reference);
}

export function entryField({ kind, reference }: InboxKey): string {
  return `${kind}:${referenceField(reference)}`;
}
