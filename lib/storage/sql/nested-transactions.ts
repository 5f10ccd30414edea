import { OwnerContext } from './owner-context.js';

const SAVEPOINT = /^\s*savepoint\s+"?(\w+)/i;
const SAVEPOINT_ENDS = /^\s*(?:release(?:\s+savepoint)?|rollback\s+to(?:\s+savepoint)?)\s+"?(\w+)/i;

/** One nested transaction of an ORM. */
export interface NestedTransaction {
  /** The nested transaction in which it was begun; absent if that is the transaction of the delivery. */
  readonly outer: NestedTransaction | undefined;
  /** Its savepoint was asked for. */
  isBegun: boolean;
  /** Its savepoint was released or rolled back: later statements would belong to the outer one. */
  isOver: boolean;
}

/** A savepoint of the connection. */
interface OpenSavepoint {
  readonly name: string;
  readonly owner: NestedTransaction | undefined;
  /** Whether the owner was begun with it. */
  readonly isFirst: boolean;
}

/** The nested transaction whose code runs. */
const inside = new OwnerContext<NestedTransactions, NestedTransaction>();

/**
 * Tracks which nested transactions of an ORM are open. All savepoints of a connection form one stack: what another
 * branch of the code writes meanwhile belongs to the innermost one, whose ROLLBACK would silently undo it.
 */
export class NestedTransactions {
  private readonly open: OpenSavepoint[] = [];

  /** @param names The names that the ORM gives to the savepoints of its nested transactions. */
  constructor(private readonly names: RegExp) {}

  get areOpen(): boolean {
    return this.open.length > 0;
  }

  /** Runs what begins a nested transaction; whatever that calls belongs to it. */
  begin<T>(work: (nested: NestedTransaction) => T): T {
    const nested: NestedTransaction = { outer: inside.get(this), isBegun: false, isOver: false };
    return inside.run(this, nested, () => work(nested));
  }

  /** Runs what came through the handle of a nested transaction, which may have been begun elsewhere. */
  within<T>(nested: NestedTransaction, work: () => T): T {
    return isInside(inside.get(this), nested) ? work() : inside.run(this, nested, work);
  }

  /** Whether a statement belongs to the innermost nested transaction that is open. Follows which ones are. */
  admits(text: string): boolean {
    const caller = inside.get(this);
    if (caller?.isOver) return false;
    const [, begun] = SAVEPOINT.exec(text) ?? [];
    const isNew = begun !== undefined && this.names.test(begun);
    const isFirst = isNew && caller?.isBegun === false;
    if (!isInside(isFirst ? caller.outer : caller, this.open.at(-1)?.owner)) return false;
    if (isFirst) caller.isBegun = true;
    if (isNew) this.open.push({ name: begun, owner: caller, isFirst });
    const [, ended] = SAVEPOINT_ENDS.exec(text) ?? [];
    const last = this.open.findLastIndex(({ name }) => name === ended);
    if (last !== -1) this.end(last);
    return true;
  }

  /** Ends a savepoint and those that were made after it. */
  private end(index: number): void {
    for (const { owner, isFirst } of this.open.splice(index)) if (owner && isFirst) owner.isOver = true;
  }
}

function isInside(inner: NestedTransaction | undefined, outer: NestedTransaction | undefined): boolean {
  for (let nested = inner; nested !== undefined; nested = nested.outer) if (nested === outer) return true;
  return outer === undefined;
}
