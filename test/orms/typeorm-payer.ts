import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type DataSource, type EntityManager } from 'typeorm';
import { type PayerDatabase } from '../support/killed-payer-application.js';
import { beginOn } from './typeorm-way.js';

/** An application with TypeORM. */
export function payerWithTypeOrm(
  dataSource: DataSource,
  schema?: string,
  inTime = (executor: SqlExecutor): SqlExecutor => executor,
): PayerDatabase {
  const executor = inTime(fromTypeOrm(dataSource));
  return {
    storage: sqlStorage({ executor, transactional: true, ...(schema !== undefined && { schema }) }),
    begin: () => beginOn(dataSource),
    // PostgreSQL and MariaDB have different placeholders.
    write: (manager, reference) =>
      (manager as EntityManager).query(`INSERT INTO invoices (reference) VALUES ('${reference}')`),
  };
}
