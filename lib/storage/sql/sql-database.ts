/** One row. Every column is text, because drivers and applications differ in how they parse numbers and dates. */
export type SqlRow = Readonly<Record<string, string | null>>;

/** The result of a statement. */
export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** Number of affected rows; null if the statement counts none. */
  readonly rowCount: number | null;
}

/** One statement and its parameters. */
export interface SqlStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** It gives no rows: its result is the number of affected rows. */
  readonly counts?: boolean;
}

/** A statement, or a function of the results so far. Undefined ends the script, and the last result counts. */
export type SqlStep = SqlStatement | ((before: readonly SqlResult[]) => SqlStatement | undefined);

/** One operation: its statements run in this order on one connection, and the result of the last one counts. */
export interface SqlScript {
  readonly steps: readonly SqlStep[];
  /** All or nothing. Otherwise each statement is committed by itself. */
  readonly atomic?: true;
  /**
   * One statement that finds its row by its key. It may share a commit with those of other operations, and runs again if that
   * fails.
   */
  readonly brief?: true;
  /**
   * What removes all that it wrote, if the application's transaction had already ended: MySQL notices that only
   * afterwards.
   */
  readonly undoAfterEnd?: SqlScript;
  /** What removes what it wrote so far, if a later step fails: the application may commit anyway. */
  readonly undoPartial?: () => SqlScript | undefined;
  /** The version that it has written, if a later step, which only reads, fails. Undefined: it may not be written. */
  readonly written?: () => number | undefined;
  /** What rolls it back, if its result comes after the caller has stopped waiting. */
  readonly undoLate?: (late: SqlResult) => SqlScript | undefined;
}

/** Runs one operation. Rejects with a `PaymentsStorageError`. */
export type RunScript = (script: SqlScript) => Promise<SqlResult>;

/** An operation of one statement that gives rows. */
export function statement(text: string, values: readonly unknown[]): SqlScript {
  return { steps: [{ text, values }] };
}

/** An operation of one statement that counts the rows that it changed. */
export function change(text: string, values: readonly unknown[]): SqlScript {
  return { steps: [{ text, values, counts: true }] };
}

/** An operation of one statement that finds its row by its key. */
export function brief(script: SqlScript): SqlScript {
  return { ...script, brief: true };
}

/** Gives the statements of an operation one after the other, takes their results, and returns the last one. */
export function* statementsOf({ steps }: SqlScript): Generator<SqlStatement, SqlResult, SqlResult> {
  const results: SqlResult[] = [];
  for (const step of steps) {
    const next = typeof step === 'function' ? step(results) : step;
    if (next === undefined) break;
    results.push(yield next);
  }
  return results.at(-1) ?? { rows: [], rowCount: null };
}

/** A database, as the journal, the inbox and the conflicts use it. */
export interface SqlDatabase {
  /** Runs one operation and commits it at once. */
  readonly run: RunScript;
  /** Takes the connection of one delivery, on which it is claimed, handled and finished. */
  connect(): Promise<SqlSession>;
  /**
   * Joins a transaction that the application began on this database: operations run in it, and change none of its
   * settings. An operation rejects if that transaction has ended meanwhile. Absent if the database cannot.
   *
   * @param token A text that no other call has; the operations that run in the transaction contain it.
   * @throws PaymentsConfigError if `transaction` is none, or one of another database.
   */
  readonly join?: (transaction: unknown, token: string) => Promise<RunScript>;
}

/** What identifies a claim: the key of its entry, and its fence. */
export interface HeldKey {
  readonly values: readonly string[];
  readonly fence: string;
}

/** The connection of one delivery, until it is released. */
export interface SqlSession {
  /** Runs one operation: committed at once before `begin` and after `rollback`, in the transaction between. */
  readonly run: RunScript;
  /** The application's own object for the transaction: `context.transaction`. */
  readonly handle: unknown;
  /** Begins the transaction of the handlers. */
  begin(held: HeldKey, leaseMs: number): Promise<unknown>;
  /** Calls what runs the handlers. The statements that come from it may join the transaction. */
  within?<T>(handlers: () => T): T;
  /** Records the claim as done and commits. Rejects if nothing was committed, or if the result is unknown. */
  finishAndCommit(held: HeldKey): Promise<unknown>;
  /** Refuses what a handler that failed still does with the transaction. */
  block(): void;
  rollback(): Promise<unknown>;
  /** Gives the connection back, once, or closes it if its state is unknown. */
  release(how: 'usable' | 'unknown'): void;
}
