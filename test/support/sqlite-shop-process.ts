// An application on one file of SQLite.
import { type SqliteDatabase, sqliteStorage } from 'nestjs-payments/sqlite';
import { runShop } from './killed-shop-application.js';

await runShop<SqliteDatabase>((file) => ({
  storage: sqliteStorage({ file, transactional: true }),
  makeEffect: (transaction, reference) =>
    transaction.prepare('INSERT INTO effects (reference) VALUES (?)').run(reference),
}));
