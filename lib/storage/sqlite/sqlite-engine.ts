import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * The part of a `DatabaseSync` of `node:sqlite` that the package describes, so that it needs no newer types of Node.js.
 * In a handler, `context.transaction` is a whole `DatabaseSync`.
 *
 * @publicApi
 */
export interface SqliteDatabase {
  /** Runs statements without parameters and results. */
  exec(text: string): void;
  /** Compiles one statement. */
  prepare(text: string): SqlitePrepared;
}

/**
 * The part of a `StatementSync` of `node:sqlite` that the package describes.
 *
 * @publicApi
 */
export interface SqlitePrepared {
  /** Runs the statement and gives all rows. */
  all(...values: SqliteValue[]): unknown[];
  /** Runs the statement and gives the first row; undefined if there is none. */
  get(...values: SqliteValue[]): unknown;
  /** Runs the statement and says how many rows it changed. */
  run(...values: SqliteValue[]): {
    /** Number of changed rows. */
    readonly changes: number | bigint;
  };
}

/**
 * What a parameter of a statement may be.
 *
 * @publicApi
 */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** What only the package does with a database. */
export interface SqliteHandle extends SqliteDatabase {
  close(): void;
  function(name: string, code: () => number): void;
}

/** Has a statement give rows as objects, also on a connection of the application with the option `returnArrays`. */
export function withObjects(statement: SqlitePrepared): SqlitePrepared {
  (statement as { setReturnArrays?(enabled: boolean): void }).setReturnArrays?.(false);
  return statement;
}

interface OpenOptions {
  readonly readOnly: boolean;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: OpenOptions) => SqliteHandle;
}

/** Opens a file. */
export function openSqlite(path: string, options?: OpenOptions): SqliteHandle {
  return new (sqliteModule().DatabaseSync)(path, ...(options ? [options] : []));
}

/** @throws PaymentsConfigError if this Node.js has no SQLite. */
export function sqliteModule(): SqliteModule {
  const found: unknown = process.getBuiltinModule('node:sqlite');
  if (found !== undefined) return found as SqliteModule;
  throw new PaymentsConfigError(
    `sqliteStorage() needs the module node:sqlite, which Node.js ${process.version} does not have: run the application on ` +
      'Node.js 22.13 or newer, or choose another storage.',
  );
}
