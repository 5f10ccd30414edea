import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type SqliteDatabase, sqliteStorage } from 'nestjs-payments/sqlite';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { describeSkipped } from './describe-skipped.js';

/** A file of SQLite in a folder of its own, with a clock that can be moved. */
export interface SqliteTestFile {
  readonly file: string;
  /** Opens the storage; the same file cannot be opened twice. */
  open(transactional?: boolean): PaymentsStorage;
  /** A connection of the application to the same file. */
  connect(options?: object): ClosableDatabase;
  /** Begins a transaction of the application. */
  begin(): ApplicationTransaction;
  pass(ms: number): void;
  /** Closes everything that was opened, and removes the folder. */
  close(): Promise<void>;
}

export type ClosableDatabase = SqliteDatabase & { open(): void; close(): void };

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: object) => ClosableDatabase;
}

const sqlite = process.getBuiltinModule('node:sqlite') as unknown as SqliteModule | undefined;

/** A `describe` that needs `node:sqlite`: skipped on older Node.js, unless `npm run test:sqlite` runs it. */
export function describeWithSqlite(name: string, specs: () => void): void {
  if (sqlite || process.env['REQUIRE_SQLITE'] === '1') describe(name, specs);
  else describeSkipped(name, `Node.js ${process.version} has no node:sqlite`, specs);
}

/** A connection of the application. */
export function openSqliteFile(file: string, options: object = {}): ClosableDatabase {
  if (!sqlite) throw new Error('This Node.js has no SQLite.');
  return new sqlite.DatabaseSync(file, options);
}

export function sqliteFile(): SqliteTestFile {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-payments-sqlite-'));
  const file = join(folder, 'shop.db');
  const opened: { close?(): unknown }[] = [];
  let ahead = 0;
  return {
    file,
    open: (transactional = false) => {
      const storage = sqliteStorage({ file, transactional, now: () => Date.now() + ahead });
      opened.push(storage);
      // It opens at once. What hinders it is told at its first use.
      storage.open?.().catch(() => undefined);
      return storage;
    },
    connect: (options) => {
      const database = openSqliteFile(file, options);
      opened.push(database);
      return database;
    },
    begin: () => {
      const handle = openSqliteFile(file);
      opened.push(handle);
      handle.exec('BEGIN IMMEDIATE');
      return {
        handle,
        commit: () => {
          handle.exec('COMMIT');
        },
        rollback: () => {
          handle.exec('ROLLBACK');
        },
      };
    },
    pass: (ms) => {
      ahead += ms;
    },
    close: async () => {
      for (const one of opened.reverse()) await one.close?.();
      rmSync(folder, { recursive: true });
    },
  };
}
