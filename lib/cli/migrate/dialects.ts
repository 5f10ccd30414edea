import { resolve } from 'node:path';
import { fromMysql2 } from '../../storage/mysql/from-mysql2.js';
import { MYSQL_MIGRATIONS, mysqlScript, mysqlTables } from '../../storage/mysql/mysql-tables.js';
import { checkedSchema } from '../../storage/postgres/postgres-options.js';
import { migrations, postgresScript } from '../../storage/postgres/migrations.js';
import { postgresTables } from '../../storage/postgres/postgres-tables.js';
import { tableNames } from '../../storage/postgres/table-names.js';
import { SQLITE_MIGRATIONS, sqliteScript, sqliteTables } from '../../storage/sqlite/sqlite-tables.js';
import { type StorageTables } from '../../storage/storage-tables.js';
import { asUsage } from '../usage-error.js';
import { withMysqlPool, withPostgresPool } from './server-connection.js';

/** Where the tables are, as the command line and the environment say. */
export interface TablesPlace {
  /** The address of a server. */
  readonly url: string;
  readonly schema: string | undefined;
  readonly file: string | undefined;
  /** The application's folder, where its driver is installed. */
  readonly folder: string;
}

/** A kind of database that has tables of the package. */
export interface Dialect {
  readonly name: string;
  /** How an address of it begins. */
  readonly protocols: readonly string[];
  /** The option that says where in the database the tables are. */
  readonly option?: 'schema' | 'file';
  /** The version of the tables that this build needs. */
  readonly needed: number;
  readonly script: (place: Pick<TablesPlace, 'schema'>, from: number) => string;
  readonly use: <T>(place: TablesPlace, work: (tables: StorageTables) => Promise<T>) => Promise<T>;
}

const schemaNames = (schema: string | undefined) =>
  tableNames(asUsage(() => checkedSchema('migrate', schema)));

export const DIALECTS: readonly Dialect[] = [
  {
    name: 'postgres',
    protocols: ['postgres:', 'postgresql:'],
    option: 'schema',
    needed: migrations(tableNames('public')).length,
    script: ({ schema }, from) => postgresScript(schemaNames(schema), from),
    use: ({ url, schema, folder }, work) => {
      const names = schemaNames(schema);
      return withPostgresPool(url, folder, (pool) => work(postgresTables(pool, names)));
    },
  },
  {
    name: 'mysql',
    protocols: ['mysql:', 'mariadb:'],
    needed: MYSQL_MIGRATIONS.length,
    script: (_place, from) => mysqlScript(from),
    use: ({ url, folder }, work) => withMysqlPool(url, folder, (pool) => work(mysqlTables(fromMysql2(pool)))),
  },
  {
    name: 'sqlite',
    protocols: [],
    option: 'file',
    needed: SQLITE_MIGRATIONS.length,
    script: (_place, from) => sqliteScript(from),
    use: ({ file = '', folder }, work) => work(sqliteTables(resolve(folder, file))),
  },
];
