import { PrismaClient } from '#prisma-mysql';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { drizzle } from 'drizzle-orm/mysql2';
import knexPackage from 'knex';
import { Kysely, MysqlDialect } from 'kysely';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import { fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromKysely } from 'nestjs-payments/kysely';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { fromPrisma } from 'nestjs-payments/prisma';
import { fromSequelize } from 'nestjs-payments/sequelize';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import sequelizePackage from 'sequelize';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type Story, storyOf } from '../support/storage-story.js';
import { type OpenOwnExecutor } from './executors.js';
import { openMikroOrmOnMariaDb } from './mikro-executor.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

/** What the application has, on a database that has the package's tables. */
type Open = (url: string) => OpenOwnExecutor | Promise<OpenOwnExecutor>;

interface Field {
  readonly type: string;
  string(encoding?: string): string | null;
}
interface Operation {
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}
type Cast = (field: Field, next: () => unknown) => unknown;

/** How applications read columns of their own: text and JSON of MariaDB have the type of bytes. */
const TO_TEXT: Cast = (field, next) => (/BLOB|STRING/.test(field.type) ? field.string() : next());
const BLOB_TO_TEXT: Cast = (field, next) => (field.type === 'BLOB' ? field.string() : next());
const TO_JSON: Cast = (field, next) => {
  if (!field.type.endsWith('BLOB')) return next();
  const text = field.string('utf8') ?? 'null';
  return /^[[{]/.test(text) ? JSON.parse(text) : text;
};
const TRIMMED: Cast = (field, next) =>
  field.type.endsWith('STRING') ? field.string('utf8')?.trim() : next();
/** Of mysql2, for statements that are not prepared: the text of a prepared one has another length. */
const TO_BIGINT: Cast = (field, next) => (field.type === 'LONGLONG' ? BigInt(field.string() ?? 0) : next());
const NUMBERS = {
  dateStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  decimalNumbers: true,
  timezone: '+03:00',
};
/** Half of them are for deliveries: one that is handled, and one that comes meanwhile. */
const SIZE = 4;

const mysql2 =
  (options: object, session = 'DO 1'): Open =>
  (uri) => {
    const pool = createPool({ uri, connectionLimit: SIZE, ...options });
    pool.on('connection', (connection) => connection.query(session));
    return {
      executor: fromMysql2(pool),
      transaction: async (work) => {
        const connection = await pool.getConnection();
        await connection.beginTransaction();
        await work(connection);
        await connection.commit();
        connection.release();
      },
      close: () => pool.end(),
    };
  };

const knex =
  (connection: object, more: object = {}): Open =>
  (uri) => {
    const db = knexPackage.knex({
      client: 'mysql2',
      connection: { uri, ...connection },
      pool: { min: 0, max: SIZE },
      ...more,
    });
    return {
      executor: fromKnex(db),
      transaction: (work) => db.transaction(work),
      close: () => db.destroy(),
    };
  };

const kysely =
  (options: object): Open =>
  (uri) => {
    const pool = createCallbackPool({ uri, connectionLimit: SIZE, ...options });
    const db = new Kysely({ dialect: new MysqlDialect({ pool }) });
    return {
      executor: { ...fromKysely(db), poolSize: SIZE },
      transaction: (work) => db.transaction().execute(work),
      close: () => db.destroy(),
    };
  };

const drizzled =
  (options: object): Open =>
  (uri) => {
    const pool = createPool({ uri, connectionLimit: SIZE, ...options });
    const db = drizzle({ client: pool });
    return {
      executor: fromDrizzle(db),
      transaction: (work) => db.transaction(work),
      close: () => pool.end(),
    };
  };

const sequelize =
  (dialectOptions: object): Open =>
  (uri) => {
    const db = new sequelizePackage.Sequelize(uri, { logging: false, pool: { max: SIZE }, dialectOptions });
    return {
      executor: fromSequelize(db),
      transaction: (work) => db.transaction(work),
      close: () => db.close(),
    };
  };

const mikroOrm =
  (connection: object): Open =>
  (uri) => {
    const orm = openMikroOrmOnMariaDb(uri, SIZE, { driverOptions: { connection } });
    return {
      executor: fromMikroOrm(orm),
      transaction: (work) => orm.em.fork().transactional(work),
      close: () => orm.close(true),
    };
  };

const typeOrm =
  (options: object): Open =>
  async (url) => {
    const source = await new DataSource({ type: 'mariadb', url, poolSize: SIZE, ...options }).initialize();
    return {
      executor: fromTypeOrm(source),
      transaction: (work) => source.transaction(work),
      close: () => source.destroy(),
    };
  };

/** As an application does that wants no column with an underscore. */
async function renamed({ args, query }: Operation): Promise<unknown> {
  const answer = await query(args);
  if (!Array.isArray(answer)) return answer;
  const name = (column: string): string => column.replaceAll('_', '');
  return answer.map((row: object) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [name(column), value])),
  );
}

const prisma =
  (options: object): Open =>
  (url) => {
    const adapter = new PrismaMariaDb(`${url}?connectionLimit=${SIZE}`, options);
    const client = new PrismaClient({ adapter }).$extends({ query: { $allOperations: renamed } });
    return {
      executor: { ...fromPrisma(client), poolSize: SIZE },
      transaction: (work) => client.$transaction(work),
      close: () => client.$disconnect(),
    };
  };

const MODES = [
  'STRICT_ALL_TABLES,ANSI,SIMULTANEOUS_ASSIGNMENT,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH,ONLY_FULL_GROUP_BY,NO_ZERO_DATE',
  'TRADITIONAL,ORACLE,TIME_ROUND_FRACTIONAL,REAL_AS_FLOAT,NO_AUTO_VALUE_ON_ZERO',
];
const SESSION = `SET SESSION time_zone = '-11:30', innodb_lock_wait_timeout = 1, lock_wait_timeout = 1, group_concat_max_len = 4,
  sql_auto_is_null = 1, div_precision_increment = 0, collation_connection = 'utf8mb4_unicode_ci', character_set_results = 'latin1',
  auto_increment_increment = 10, foreign_key_checks = 0, max_statement_time = 5, max_sort_length = 64, sql_warnings = 1`;

const WORKING: readonly (readonly [what: string, open: Open])[] = [
  ['bytes that mysql2 reads as text', mysql2({ typeCast: TO_TEXT })],
  ['JSON that mysql2 parses', mysql2({ typeCast: TO_JSON })],
  ['large numbers that mysql2 reads as BigInt', mysql2({ typeCast: TO_BIGINT })],
  ['nothing that mysql2 reads', mysql2({ typeCast: false })],
  ['rows of mysql2 that are arrays', mysql2({ rowsAsArray: true, ...NUMBERS })],
  ['rows of mysql2 by their tables', mysql2({ nestTables: true, namedPlaceholders: true })],
  ['mysql2 with one prepared statement', mysql2({ maxPreparedStatements: 1, maxIdle: 1, idleTimeout: 1 })],
  ['mysql2 that counts changed rows', mysql2({ flags: ['-FOUND_ROWS'], disableEval: true })],
  ...MODES.map((mode) => [`the sql_mode ${mode}`, mysql2({}, `SET SESSION sql_mode = '${mode}'`)] as const),
  ['other settings of each connection', mysql2({}, SESSION)],
  ['SERIALIZABLE', mysql2({}, 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE')],
  ['COMMIT that begins the next one', mysql2({}, "SET SESSION completion_type = 'CHAIN'")],
  ['bytes that Knex reads as text', knex({ typeCast: TO_TEXT }, { postProcessResponse: () => [] })],
  ['numbers of Kysely as texts', kysely(NUMBERS)],
  ['nothing that Kysely reads', kysely({ typeCast: false })],
  ['JSON that Drizzle parses', drizzled({ typeCast: TO_JSON })],
  ['rows of Drizzle that are arrays', drizzled({ rowsAsArray: true })],
  ['texts that Sequelize trims', sequelize({ typeCast: TRIMMED, ...NUMBERS })],
  ['texts that MikroORM trims', mikroOrm({ typeCast: TRIMMED })],
  ['numbers of TypeORM as texts', typeOrm({ ...NUMBERS, extra: { decimalNumbers: true } })],
  ['rows that an extension of Prisma changes', prisma({})],
];

const CHANGED = /take out the type parser \(typeCast\)/;
const REFUSED: readonly (readonly [what: string, why: RegExp, open: Open])[] = [
  ['bytes that Kysely reads as text', CHANGED, kysely({ typeCast: TO_TEXT })],
  ['texts that Kysely trims', CHANGED, kysely({ typeCast: TRIMMED })],
  ['rows of Kysely that are arrays', /take rowsAsArray and nestTables out/, kysely({ rowsAsArray: true })],
  ['bytes that TypeORM reads as text', CHANGED, typeOrm({ extra: { typeCast: TO_TEXT } })],
  ['BLOB that Kysely reads as text', CHANGED, kysely({ typeCast: BLOB_TO_TEXT })],
  ['BLOB that TypeORM reads as text', CHANGED, typeOrm({ extra: { typeCast: BLOB_TO_TEXT } })],
  ['JSON that TypeORM parses', CHANGED, typeOrm({ extra: { typeCast: TO_JSON } })],
  [
    'some rows of each answer',
    /sql_select_limit = DEFAULT/,
    mysql2({}, 'SET SESSION sql_select_limit = 999999'),
  ],
  ['latin1', /to 'utf8mb4'/, mysql2({ charset: 'latin1' })],
  ['texts that are cut', /add STRICT_TRANS_TABLES/, mysql2({}, "SET SESSION sql_mode = ''")],
  ['no autocommit', /set autocommit = 1/, mysql2({}, 'SET SESSION autocommit = 0')],
];

/** What a statement may change, and no application has set. */
const VARIABLES = `SHOW SESSION VARIABLES WHERE Variable_name NOT IN ('timestamp', 'rand_seed1', 'rand_seed2', 'last_insert_id',
  'identity', 'insert_id', 'pseudo_thread_id', 'error_count', 'warning_count', 'last_gtid')`;

async function settingsOf(executor: SqlExecutor): Promise<readonly string[]> {
  const rows = await executor.query(VARIABLES);
  return rows.map((row) => Object.values(row).map(String).join(' = '));
}

/** Of all connections: as many statements run at once. */
async function allSettings(executor: SqlExecutor): Promise<readonly unknown[]> {
  return Promise.all(Array.from({ length: SIZE }, () => settingsOf(executor)));
}

describeWith([mysqlService], 'sqlStorage() on a driver that its application has set up for itself', () => {
  let database: MysqlDatabase;
  let usual: Story;
  const told = async (open: Open, account: string): Promise<Story> => {
    const { executor, transaction, close } = await open(database.url);
    database.onClose(close);
    const before = await allSettings(executor);
    const storage = { ...sqlStorage({ executor, transactional: true }), transaction };
    const story = await storyOf(storage, account);
    expect(await allSettings(executor)).toEqual(before);
    return story;
  };

  beforeAll(async () => {
    database = await openMysql();
    usual = await told(mysql2({}), 'usual');
  });
  afterAll(() => database.close());

  it.concurrent.each(WORKING)(
    'answers the same, and leaves every connection as it was: %s',
    async (what, open) => {
      const account = String(WORKING.findIndex(([other]) => other === what));
      expect(await told(open, account)).toEqual(usual);
    },
  );

  it.each(REFUSED)('refuses at its first use, and at boot with migrate: %s', async (_what, why, open) => {
    const { executor, close } = await open(database.url);
    database.onClose(close);
    await expect(sqlStorage({ executor }).journal.get(journalRecord('order-1'))).rejects.toThrow(why);
    await expect(sqlStorage({ executor, migrate: true }).open?.()).rejects.toThrow(why);
  });
});
