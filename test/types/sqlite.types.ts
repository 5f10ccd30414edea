// Remembering in a file.
import { type PaymentsStorage } from 'nestjs-payments';
import { type SqliteDatabase, sqliteStorage, type SqliteStorageOptions } from 'nestjs-payments/sqlite';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<typeof sqliteStorage>, PaymentsStorage>>,
  Expect<Equal<SqliteStorageOptions['transactional'], boolean | undefined>>,
  Expect<Equal<ReturnType<SqliteDatabase['exec']>, void>>,
];

// @ts-expect-error -- the application says which file
sqliteStorage({});
// @ts-expect-error -- an object, not the path alone
sqliteStorage('payments.db');
