// What the bench measures the executors against: each opens an ORM, and says how one writes a statement with it.
import { sql } from 'drizzle-orm';
import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres';
import knexPackage from 'knex';
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import { fromDrizzle } from 'nestjs-payments/drizzle';
import { fromKnex } from 'nestjs-payments/knex';
import { fromKysely } from 'nestjs-payments/kysely';
import { fromMysql2 } from 'nestjs-payments/mysql';
import pg from 'pg';

/** Connections of a pool, where nobody says how many. */
const POOL_SIZE = 4;
/** As the package does: MySQL's default is another level. */
const LEVEL = { mysql: 'read committed' };

export function knex(dialect, connection, poolSize = POOL_SIZE) {
  const client = dialect === 'mysql' ? 'mysql2' : 'pg';
  const db = knexPackage.knex({ client, connection, pool: { min: 0, max: poolSize } });
  return {
    executor: fromKnex(db),
    statement: (trx = db, text, params) => trx.raw(...withQuestionMarks(text, params)),
    transaction: (work) => db.transaction(work, { isolationLevel: LEVEL[dialect] }),
    close: () => db.destroy(),
  };
}

export function kysely(dialect, url, poolSize = POOL_SIZE) {
  const db = new Kysely({
    dialect:
      dialect === 'mysql'
        ? new MysqlDialect({ pool: createCallbackPool({ uri: url, connectionLimit: poolSize }) })
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: poolSize }) }),
  });
  return {
    executor: fromKysely(db),
    statement: (trx = db, text, params) => trx.executeQuery(CompiledQuery.raw(text, params)),
    transaction: (work) => {
      const begun = db.transaction();
      return (LEVEL[dialect] ? begun.setIsolationLevel(LEVEL[dialect]) : begun).execute(work);
    },
    close: () => db.destroy(),
  };
}

export function drizzle(dialect, url, poolSize = POOL_SIZE) {
  const pool =
    dialect === 'mysql'
      ? createPool({ uri: url, connectionLimit: poolSize })
      : new pg.Pool({ connectionString: url, max: poolSize });
  const db = (dialect === 'mysql' ? drizzleOnMysql : drizzleOnPostgres)({ client: pool });
  return {
    executor: fromDrizzle(db),
    statement: (tx = db, text, params) => tx.execute(template(...withQuestionMarks(text, params))),
    transaction: (work) => db.transaction(work, LEVEL[dialect] && { isolationLevel: LEVEL[dialect] }),
    close: () => pool.end(),
  };
}

export function mysql2(_dialect, uri, poolSize = POOL_SIZE) {
  const pool = createPool({ uri, connectionLimit: poolSize });
  return {
    executor: fromMysql2(pool),
    statement: (connection = pool, text, params) =>
      params.length > 0 ? connection.execute(text, params) : connection.query(text),
    transaction: async (work) => {
      const connection = await pool.getConnection();
      await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await connection.beginTransaction();
      await work(connection);
      await connection.commit();
      connection.release();
    },
    close: () => pool.end(),
  };
}

export async function typeOrm(dialect, url, poolSize = POOL_SIZE) {
  const { DataSource } = await import('typeorm');
  const { fromTypeOrm } = await import('nestjs-payments/typeorm');
  const type = dialect === 'mysql' ? 'mariadb' : 'postgres';
  const dataSource = await new DataSource({ type, url, poolSize }).initialize();
  return {
    executor: fromTypeOrm(dataSource),
    statement: (manager = dataSource, text, params) => manager.query(text, params),
    transaction: (work) =>
      LEVEL[dialect]
        ? dataSource.transaction(LEVEL[dialect].toUpperCase(), work)
        : dataSource.transaction(work),
    close: () => dataSource.destroy(),
  };
}

export async function mikroOrm(dialect, clientUrl, poolSize = POOL_SIZE) {
  const { MikroORM } = await import(`@mikro-orm/${dialect === 'mysql' ? 'mariadb' : 'postgresql'}`);
  const { fromMikroOrm } = await import('nestjs-payments/mikro-orm');
  const discovery = { warnWhenNoEntities: false };
  const orm = await MikroORM.init({ clientUrl, entities: [], discovery, pool: { min: 0, max: poolSize } });
  return {
    executor: fromMikroOrm(orm),
    statement: (em, text, params) =>
      (em?.getTransactionContext() ?? orm.em.getKnex()).raw(...withQuestionMarks(text, params)),
    transaction: (work) => orm.em.fork().transactional(work, { isolationLevel: LEVEL[dialect] }),
    close: () => orm.close(true),
  };
}

export async function sequelize(dialect, url, poolSize = POOL_SIZE) {
  const { Sequelize } = (await import('sequelize')).default;
  const { fromSequelize } = await import('nestjs-payments/sequelize');
  const db = new Sequelize(url, { dialect, logging: false, pool: { min: 0, max: poolSize } });
  const values = dialect === 'mysql' ? 'replacements' : 'bind';
  return {
    executor: fromSequelize(db),
    statement: async (transaction, text, params) => {
      const [rows] = await db.query(text, { transaction, ...(params.length > 0 && { [values]: params }) });
      return rows;
    },
    transaction: (work) => db.transaction({ isolationLevel: LEVEL[dialect]?.toUpperCase() }, work),
    close: () => db.close(),
  };
}

export async function prisma(dialect, url, poolSize = POOL_SIZE) {
  const { prismaClient } = await import('./prisma-client.mjs');
  const { fromPrisma } = await import('nestjs-payments/prisma');
  const client = new (prismaClient(dialect === 'mysql' ? 'mysql' : 'postgresql'))({
    adapter: await prismaAdapter(dialect, url, poolSize),
  });
  return {
    executor: fromPrisma(client),
    statement: (tx = client, text, params, givesRows) =>
      givesRows ? tx.$queryRawUnsafe(text, ...params) : tx.$executeRawUnsafe(text, ...params),
    transaction: (work) => client.$transaction(work, LEVEL[dialect] && { isolationLevel: 'ReadCommitted' }),
    close: () => client.$disconnect(),
    settings: { before: 'SET SESSION TRANSACTION READ ONLY', after: 'SET SESSION TRANSACTION READ WRITE' },
  };
}

async function prismaAdapter(dialect, url, poolSize) {
  if (dialect === 'mysql') {
    const { PrismaMariaDb } = await import('@prisma/adapter-mariadb');
    return new PrismaMariaDb(`${url}?connectionLimit=${poolSize}`);
  }
  const { PrismaPg } = await import('@prisma/adapter-pg');
  return new PrismaPg({ connectionString: url, max: poolSize });
}

/** Placeholders as Knex and Drizzle count them: one for each value, in their order. */
function withQuestionMarks(text, params) {
  const values = [];
  const changed = text.replace(/\$(\d+)|\?/g, (mark, number) => {
    if (number === undefined && /\$\d/.test(text)) return '\\?';
    values.push(params[number === undefined ? values.length : number - 1]);
    return '?';
  });
  return [changed, values];
}

function template(text, values) {
  return sql(text.split('?'), ...values.map((value) => sql.param(value)));
}
