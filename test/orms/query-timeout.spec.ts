import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Pool, type PoolClient } from 'pg';
import { describeWith, postgresService } from '../support/services.js';
import { EXECUTORS, type OpenExecutor, type OrmExecutor } from './executors.js';
import { borrowPostgres, type PostgresDatabase } from './postgres-database.js';

/** Shorter than any limit of the package. */
const QUERY_TIMEOUT_MS = 300;

describeWith([postgresService], 'a handler on PostgreSQL whose statement waits for a lock', () => {
  let database: PostgresDatabase;
  const pool = (config: object): Pool => database.openPool({ max: 1, ...config });
  const notes = async (): Promise<readonly unknown[]> =>
    (await database.pool.query<{ readonly text: string }>('SELECT text FROM notes')).rows;

  beforeEach(async () => {
    database = await borrowPostgres();
    await database.pool.query(
      `CREATE TABLE notes (text text); CREATE TABLE stock (item text, pieces int); INSERT INTO stock VALUES ('kanga', 9)`,
    );
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
  });

  /** Its transaction fails while somebody else holds the lock. */
  const fail = (orm: OrmExecutor<object>, { executor }: OpenExecutor): Promise<unknown> =>
    executor.transaction(async ({ handle }) => {
      await orm.send(handle as object, `INSERT INTO notes VALUES ('of the handler')`);
      await orm.send(handle as object, 'UPDATE stock SET pieces = pieces - 1');
    });

  it.each(EXECUTORS)(
    'leaves nothing of its transaction on the connection of $name, though the pool gives up its ROLLBACK',
    async (orm) => {
      const opened = orm.openPostgres(pool({ query_timeout: QUERY_TIMEOUT_MS }));
      const watch = pool({ query_timeout: QUERY_TIMEOUT_MS });
      const other = await database.pool.connect();
      await other.query('BEGIN; UPDATE stock SET pieces = 0');
      const failed = expect(fail(orm, opened)).rejects.toThrow();
      // The UPDATE and the ROLLBACK take as long, at most, as these.
      for (const wait of ['first', 'second', 'third'])
        await expect(watch.query(`SELECT pg_sleep(10) AS ${wait}`)).rejects.toThrow('timeout');
      await other.query('ROLLBACK');
      other.release();
      await failed;
      await opened.executor.execute(`INSERT INTO notes VALUES ('of the application')`);
      expect(await notes()).toEqual([{ text: 'of the application' }]);
    },
  );

  // Kysely and Prisma do not show the connection: theirs stays lent until the statement ends.
  it.each(
    EXECUTORS.flatMap((orm) => {
      const { name } = orm;
      if (name === 'Kysely' || name === 'Prisma') return [];
      // MikroORM and Sequelize make their connections themselves.
      const ways = name === 'Knex' || name === 'Drizzle' ? [false, true] : [false];
      return ways.map((pipeline) => ({ orm, name, pipeline }));
    }),
  )(
    'leaves no connection of $name that refuses the statements of the application (pipeline: $pipeline)',
    async ({ orm, pipeline }) => {
      const { executor } = orm.openPostgres(pool({ pipeline }));
      const other = await database.pool.connect();
      await other.query('BEGIN; UPDATE stock SET pieces = 0');
      let begun: () => void = () => undefined;
      const hangs = new Promise<void>((resolve) => (begun = resolve));
      const failed = expect(
        executor.transaction(({ handle }) => {
          vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
          void orm.send(handle as object, 'UPDATE stock SET pieces = pieces - 1').catch(() => undefined);
          begun();
          return Promise.reject(new Error('no'));
        }),
      ).rejects.toThrow();
      await hangs;
      // What hangs, and then the ROLLBACK behind it.
      await vi.advanceTimersByTimeAsync(4_000);
      await vi.advanceTimersByTimeAsync(4_000);
      await failed;
      vi.useRealTimers();
      expect(await executor.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await other.query('ROLLBACK');
      other.release();
    },
  );

  // Drizzle itself never gives the connection back then.
  it.each(EXECUTORS.filter(({ name }) => ['Knex', 'Kysely', 'Prisma'].includes(name)))(
    'gives the connection of $name back as it was, if BEGIN fails',
    async (orm) => {
      const refusing = pool({});
      refusing.once('connect', (client: PoolClient) => {
        refuseFirstBegin(client);
      });
      const { executor } = orm.openPostgres(refusing);
      await expect(executor.transaction(() => Promise.resolve())).rejects.toThrow();
      for (const one of [1, 2]) expect(await executor.query(`SELECT ${one} AS one`)).toEqual([{ one }]);
      expect(await executor.transaction(({ query }) => query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    },
  );

  it('has a BEGIN of Kysely undone that the pool gave up and the server carries out', async () => {
    const impatient = pool({});
    impatient.once('connect', (client: PoolClient) => {
      refuseFirstBegin(client, true);
    });
    const { executor } = EXECUTORS.find(({ name }) => name === 'Kysely')!.openPostgres(impatient);
    await expect(executor.transaction(() => Promise.resolve())).rejects.toThrow('no BEGIN');
    await executor.execute(`INSERT INTO notes VALUES ('of the application')`);
    expect(await notes()).toEqual([{ text: 'of the application' }]);
  });
});

/** @param isSent Whether it reaches the server anyway. */
function refuseFirstBegin(client: PoolClient, isSent = false): void {
  const send = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
  let isRefused = false;
  const query = (...given: readonly unknown[]): unknown => {
    const [statement] = given as [string | { readonly text?: string }];
    const text = typeof statement === 'string' ? statement : (statement.text ?? '');
    if (isRefused || !/^\s*(?:begin|start)/i.test(text)) return send(...given);
    isRefused = true;
    if (isSent) send(text);
    const error = new Error('no BEGIN');
    const answer = given.at(-1);
    if (typeof answer !== 'function') return Promise.reject(error);
    process.nextTick(answer, error);
    return undefined;
  };
  Object.assign(client, { query });
}
