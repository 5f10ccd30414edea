import { type DataSource } from 'typeorm';
import * as typeorm from 'typeorm';
import * as typeorm03 from 'typeorm-0.3';
import {
  borrowPaymentsDatabase,
  endOtherConnections,
  type PaymentsDatabase,
} from '../support/payments-database.js';
import { postgresService } from '../support/services.js';

/** Every version of TypeORM that the specs use. */
export const TYPEORMS: readonly (readonly [version: string, packed: TypeOrm])[] = [
  ['1', typeorm],
  ['0.3', typeorm03],
];
export type TypeOrm = typeof typeorm | typeof typeorm03;

/** The package's tables, and a data source of the application for the same database. */
export interface TypeOrmDatabase extends Pick<
  PaymentsDatabase,
  'schema' | 'pool' | 'pass' | 'clear' | 'close'
> {
  readonly dataSource: DataSource;
}

/** Opens a data source with a pool of its own. */
export async function openTypeOrm(
  packed: TypeOrm,
  entities: readonly unknown[] = [],
  poolSize = 10,
  settings = '',
): Promise<TypeOrmDatabase> {
  const database = await borrowPaymentsDatabase(postgresService.url);
  const { schema, pool } = database;
  const dataSource: DataSource = await new packed.DataSource({
    type: 'postgres',
    url: postgresService.url,
    entities,
    extra: { options: `${pool.options.options} ${settings}`, application_name: schema, max: poolSize },
  }).initialize();
  return {
    ...database,
    dataSource,
    close: async () => {
      // A pool waits for connections whose claims a test left open, and the tables for their transactions.
      const destroyed = dataSource.destroy().catch(() => undefined);
      await endOtherConnections(database);
      await destroyed;
      await database.close();
    },
  };
}
