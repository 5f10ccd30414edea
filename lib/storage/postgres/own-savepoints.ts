import { type TransactionStep } from './transaction-statements.js';

export type SavepointStep = Extract<TransactionStep, { readonly name: string }>;

interface OwnSavepoint {
  readonly asker: object;
  readonly name: string;
  /** Statements of others ran since then. */
  hasOthers: boolean;
}

/**
 * The savepoints that handlers and their ORMs make themselves, in the order of the connection. ROLLBACK TO undoes
 * everything since then, also the statements of other checkouts.
 */
export class OwnSavepoints {
  private readonly open: OwnSavepoint[] = [];

  get count(): number {
    return this.open.length;
  }

  /** Forgets all but the first ones. */
  keep(count: number): void {
    this.open.splice(count);
  }

  /** Notes a statement. */
  ran(asker: object): void {
    for (const savepoint of this.open) {
      if (savepoint.asker !== asker) savepoint.hasOthers = true;
    }
  }

  /** Follows a statement that succeeded. */
  pass(asker: object, { does, name }: SavepointStep): 'undid others' | undefined {
    if (does === 'savepoint') {
      this.open.push({ asker, name, hasOthers: false });
      return undefined;
    }
    const index = this.open.findLastIndex((savepoint) => savepoint.name === name);
    const found = this.open[index];
    // The savepoint itself stays at ROLLBACK TO.
    if (found) this.keep(does === 'undo' ? index + 1 : index);
    return does === 'undo' && (!found || found.hasOthers) ? 'undid others' : undefined;
  }
}
