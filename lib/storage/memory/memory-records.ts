import {
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type PaymentTombstone,
} from '../journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { type DailyCounter } from '../daily-cap.js';
import { MemoryTombstones } from './memory-tombstones.js';

/** A payment, and what the storage knows beside it. */
export interface MemoryRecord extends Linked<MemoryRecord> {
  record: JournalRecord;
  /** Its position in the list of its scope. */
  readonly number: number;
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  attemptAt: number;
  leaseUntil: number;
}

/** The payments of one scope. */
interface ScopeRecords {
  readonly scope: JournalScope;
  readonly byReference: Map<string, MemoryRecord>;
  readonly numbered: NumberedRecords<MemoryRecord>;
  /** What was counted towards the daily cap. */
  counter?: DailyCounter;
  /** Made with the first payment that is forgotten. */
  tombstones?: MemoryTombstones;
}

/**
 * The payments of one process, by reference and in the order in which they came within their scope, and by
 * state; and the tombstones of those that were forgotten.
 */
export class MemoryRecords {
  size = 0;
  /** By account; each has few. */
  private readonly scopes = new Map<string, ScopeRecords[]>();
  private readonly byState = new Map<JournalState, LinkedList<MemoryRecord>>();

  find(key: JournalKey): MemoryRecord | undefined {
    return this.scopeOf(key).byReference.get(key.reference);
  }

  /** The payments in a state; the one that changed longest ago comes first. */
  inState(state: JournalState): LinkedList<MemoryRecord> {
    let records = this.byState.get(state);
    if (!records) this.byState.set(state, (records = new LinkedList()));
    return records;
  }

  /** The payments of a scope after a number that were created at or after `from`, and whose state is wanted. */
  after(
    scope: JournalScope,
    number: number,
    isWanted: (state: string) => boolean,
    from?: number,
  ): Iterable<MemoryRecord> {
    return this.scopeOf(scope).numbered.after(number, isWanted, from);
  }

  add(record: JournalRecord, version: number, now: number, leaseMs: number): MemoryRecord {
    const { byReference, numbered } = this.scopeOf(record);
    const added: MemoryRecord = {
      record,
      number: numbered.next,
      version,
      before: undefined,
      after: undefined,
      createdAt: now,
      updatedAt: now,
      attemptAt: now,
      leaseUntil: now + leaseMs,
    };
    byReference.set(record.reference, added);
    numbered.add(added);
    this.size += 1;
    this.inState(record.state).add(added);
    return added;
  }

  /** Replaces a record. */
  change(existing: MemoryRecord, record: JournalRecord): void {
    const { state } = existing.record;
    this.inState(state).remove(existing);
    this.inState(record.state).add(existing);
    this.scopeOf(record).numbered.stateChanged(existing.number, state, record.state);
    existing.record = record;
  }

  remove(existing: MemoryRecord): void {
    const { record } = existing;
    const { byReference, numbered } = this.scopeOf(record);
    byReference.delete(record.reference);
    numbered.remove(existing.number, record.state);
    this.size -= 1;
    this.inState(record.state).remove(existing);
  }

  tombstone(key: JournalKey): PaymentTombstone | undefined {
    return this.scopeOf(key).tombstones?.find(key.reference);
  }

  addTombstone(key: JournalKey, tombstone: PaymentTombstone, now: number): void {
    const scope = this.scopeOf(key);
    scope.tombstones ??= new MemoryTombstones();
    scope.tombstones.add(key.reference, tombstone, now);
  }

  /** Takes away the tombstones of an account that were added before `latest`. Returns how many. */
  purgeTombstones(
    { account, environment }: Pick<JournalScope, 'account' | 'environment'>,
    latest: number,
  ): number {
    const ofAccount = (this.scopes.get(account) ?? []).filter(
      ({ scope }) => scope.environment === environment,
    );
    return ofAccount.reduce((purged, { tombstones }) => purged + (tombstones?.purge(latest) ?? 0), 0);
  }

  /** The scopes that hold a payment or a tombstone. */
  *held(): Generator<JournalScope, void> {
    for (const ofAccount of this.scopes.values()) {
      for (const { scope, byReference, tombstones } of ofAccount) {
        if (byReference.size > 0 || tombstones) yield scope;
      }
    }
  }

  counterOf(scope: JournalScope): DailyCounter | undefined {
    return this.scopeOf(scope).counter;
  }

  setCounter(scope: JournalScope, counter: DailyCounter): void {
    this.scopeOf(scope).counter = counter;
  }

  /** The scope of a payment, which is made if it is not there yet. */
  private scopeOf(scope: JournalScope): ScopeRecords {
    const { account, environment, family } = scope;
    const ofAccount = this.scopes.get(account) ?? [];
    for (const known of ofAccount) {
      if (isWithin(known.scope, scope)) return known;
    }
    const added: ScopeRecords = {
      scope: { account, environment, family },
      byReference: new Map(),
      numbered: new NumberedRecords(),
    };
    this.scopes.set(account, [...ofAccount, added]);
    return added;
  }
}

/** Whether a payment, or a scope, is of this scope. */
export function isWithin(scope: JournalScope, record: JournalScope): boolean {
  return (
    scope.account === record.account &&
    scope.environment === record.environment &&
    scope.family === record.family
  );
}

/**
 * An item of a linked list, of one list at a time. It holds its own neighbours, so that removing it costs the same at
 * every length.
 */
export interface Linked<Item> {
  before?: Item | undefined;
  after?: Item | undefined;
}

/** Items in the order in which they came. */
export class LinkedList<Item extends Linked<Item>> {
  first: Item | undefined;
  private last: Item | undefined;

  /** Puts an item at the end. */
  add(item: Item): void {
    item.before = this.last;
    if (this.last) this.last.after = item;
    else this.first = item;
    this.last = item;
  }

  /** Removes an item of this list. */
  remove(item: Item): void {
    const { before, after } = item;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    // A removed item must not keep its neighbours in memory.
    item.before = undefined;
    item.after = undefined;
  }

  *[Symbol.iterator](): Generator<Item, void> {
    for (let item = this.first; item; item = item.after) yield item;
  }
}

/** How many records one block holds. */
const BLOCK = 1_024;

interface Block<Item> {
  /** By the number of the record within the block. */
  readonly items: (Item | undefined)[];
  /** How many of them are in each state. */
  readonly states: Map<string, number>;
  /** The greatest creation time that one of them had. */
  latest: number;
}

/** What a numbered record says of itself. */
interface Numbered {
  readonly createdAt: number;
  readonly record: { readonly state: string };
}

/**
 * Records in the order in which they were added, in blocks that know the states and times of their records. A list
 * skips whole blocks that hold nothing it asks for, so its cost grows with what it finds, and a change of
 * state costs the same at every size.
 */
export class NumberedRecords<Item extends Numbered> {
  private readonly blocks = new Map<number, Block<Item>>();
  private last = 0;

  /** The number of the next record. */
  get next(): number {
    return this.last + 1;
  }

  add(item: Item): void {
    this.last += 1;
    const number = blockOf(this.last);
    const block: Block<Item> = this.blocks.get(number) ?? { items: [], states: new Map(), latest: -Infinity };
    this.blocks.set(number, block);
    block.items[this.last % BLOCK] = item;
    block.latest = Math.max(block.latest, item.createdAt);
    count(block, item.record.state, 1);
  }

  /** Call it when the record with this number has changed its state. */
  stateChanged(number: number, from: string, to: string): void {
    const block = this.blocks.get(blockOf(number));
    if (!block || from === to) return;
    count(block, from, -1);
    count(block, to, 1);
  }

  remove(number: number, state: string): void {
    const block = this.blocks.get(blockOf(number));
    if (!block) return;
    block.items[number % BLOCK] = undefined;
    count(block, state, -1);
    if (block.states.size === 0) this.blocks.delete(blockOf(number));
  }

  /**
   * The records after a number that were created at or after `from`, and whose state is wanted. Nothing may change until the
   * caller has read what it needs.
   */
  *after(number: number, isWanted: (state: string) => boolean, from = -Infinity): Generator<Item, void> {
    let first = (number + 1) % BLOCK;
    for (let index = blockOf(number + 1); index <= blockOf(this.last); index += 1) {
      const block = this.blocks.get(index);
      const isPossible = block && block.latest >= from && [...block.states.keys()].some(isWanted);
      const found = isPossible ? block.items : [];
      for (let at = first; at < found.length; at += 1) {
        const item = found[at];
        if (item && item.createdAt >= from && isWanted(item.record.state)) yield item;
      }
      first = 0;
    }
  }
}

function blockOf(number: number): number {
  return Math.floor(number / BLOCK);
}

function count({ states }: Block<unknown>, state: string, by: 1 | -1): void {
  const now = (states.get(state) ?? 0) + by;
  if (now === 0) states.delete(state);
  else states.set(state, now);
}
