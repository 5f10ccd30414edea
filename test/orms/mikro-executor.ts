import { EntitySchema, type EntityManager, MikroORM, raw } from '@mikro-orm/postgresql';
import { MikroORM as MikroOrmOnMariaDb } from '@mikro-orm/mariadb';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { type Pool } from 'pg';
import { type OpenOwnExecutor, type OrmExecutor } from './executors.js';

/** The accounts as an entity. */
export interface Credits {
  readonly reference: string;
  times: number;
}

export const CREDITS = new EntitySchema({
  name: 'Credits',
  tableName: 'credits',
  properties: { reference: { type: 'string', primary: true }, times: { type: 'integer' } },
});

/** Opens MikroORM on the database of a pool. Nobody closes it: the specs end the connections of its name. */
export function openMikroOrm({ options }: Pool, more: object = {}): MikroORM {
  const { connectionString, application_name, max, options: settings, query_timeout } = options;
  const connection = { options: settings, application_name, ...(query_timeout && { query_timeout }) };
  return MikroORM.initSync({
    clientUrl: connectionString,
    entities: [CREDITS],
    pool: { min: 0, max },
    driverOptions: { connection },
    ...more,
  });
}

/** The same on MariaDB. */
export function openMikroOrmOnMariaDb(clientUrl: string, max = 10, more: object = {}): MikroORM {
  return MikroOrmOnMariaDb.initSync({ clientUrl, entities: [CREDITS], pool: { min: 0, max }, ...more });
}

function opened(orm: MikroORM): OpenOwnExecutor {
  return {
    executor: fromMikroOrm(orm),
    transaction: (work) => orm.em.fork().transactional(work),
    close: () => orm.close(true),
  };
}

export const MIKRO_ORM: OrmExecutor<EntityManager> = {
  name: 'MikroORM',
  openPostgres: (pool) => opened(openMikroOrm(pool)),
  openMysql: (url, max) => opened(openMikroOrmOnMariaDb(url, max)),
  credit: (em, reference) => em.nativeUpdate(CREDITS, { reference }, { times: raw('times + 1') }),
  nested: (em, work) => em.transactional(work),
  besideNested: 'waits',
  leaveOpen: (em) =>
    new Promise((resolve) => {
      const neverEnds = em.transactional(() => {
        resolve(undefined);
        return new Promise(() => undefined);
      });
      neverEnds.catch(() => undefined);
    }),
  send: (em, text) => em.execute(text),
  endings: [
    ['COMMIT', (em) => em.execute('COMMIT')],
    ['ROLLBACK in a nested transaction', (em) => em.transactional((inner) => inner.execute('ROLLBACK'))],
    ['begin()', (em) => em.begin()],
    ['commit()', (em) => em.commit()],
    ['rollback()', (em) => em.rollback()],
    ['commit() in a nested transaction', (em) => em.transactional((inner) => inner.commit())],
    ['commit() of a fork of it', (em) => em.fork({ keepTransactionContext: true }).commit()],
    [
      'a transaction beside it',
      (em) => em.transactional(() => Promise.resolve(), { propagation: 'requires_new' }),
    ],
  ],
};
