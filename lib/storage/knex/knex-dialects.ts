import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { type KnexInstance } from './knex-instance.js';

/** A statement of the package as Knex takes it. */
export const KNEX_TEXT_OF: Readonly<Record<SqlDialect, (text: string) => string>> = {
  // A question mark would be a placeholder of Knex.
  postgres: (text) => text.replaceAll('?', '\\?'),
  mysql: (text) => text,
};
/** By the dialect of a client, or by its driver where that decides. */
const NAMES = new Map<string, SqlDialect>([
  ['postgresql', 'postgres'],
  ['mysql2', 'mysql'],
  // Of MikroORM.
  ['mariadb', 'mysql'],
]);

/** @throws PaymentsConfigError if it is no instance of Knex, or its database is not supported. */
export function dialectOf(knex: Partial<KnexInstance> | null | undefined): SqlDialect {
  if (typeof knex?.transaction !== 'function' || typeof knex.client?.acquireConnection !== 'function') {
    throw new PaymentsConfigError(
      "fromKnex(knex) needs an instance of Knex: write knex({ client: 'pg', connection }), or mysql2 instead of pg.",
    );
  }
  const { dialect, driverName } = knex.client;
  const found = NAMES.get(dialect) ?? NAMES.get(driverName);
  if (found) return found;
  throw new PaymentsConfigError(
    `fromKnex(knex) has no statements for the client ${driverName} of Knex: it must be pg or mysql2.`,
  );
}
