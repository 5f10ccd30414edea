import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { type DrizzleDatabase, fromDrizzle } from '../../../../lib/storage/drizzle/index.js';

const nobody = (): Promise<never> => Promise.reject(new Error('not asked'));
const database = (client: object): DrizzleDatabase =>
  ({
    $client: client,
    transaction: nobody,
    session: { transaction: nobody },
    dialect: {},
  }) as unknown as DrizzleDatabase;
const pool = { connect: nobody, query: nobody, totalCount: 0 };
const NO_POOL =
  'fromDrizzle(db) needs a database of drizzle-orm/node-postgres with a pool of pg, or of drizzle-orm/mysql2 with a pool of mysql2: ' +
  'write drizzle({ client: pool }).';

it.each<[what: string, given: unknown]>([
  ['nothing', undefined],
  ['the pool itself', pool],
  ['one client, whose transactions would run into each other', database({ connect: nobody, query: nobody })],
  ['one connection of mysql2', database({ query: nobody, execute: nobody, promise: nobody })],
  ['another driver', database({ execute: nobody })],
])('refuses %s, and says what to write', (_what, given) => {
  expect(() => fromDrizzle(given as DrizzleDatabase)).toThrow(new PaymentsConfigError(NO_POOL));
});

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, 'Drizzle needs an open transaction here'],
  ['the database itself', database(pool), 'Drizzle needs an open transaction here'],
  [
    'a transaction of another database',
    { rollback: nobody, session: { client: pool }, dialect: {} },
    'The transaction is of another database of Drizzle than fromDrizzle() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromDrizzle(database(pool)).wrapTransaction(handle)).toThrow(says);
});

it.each<[how: string, given: object]>([
  ['with promises', { getConnection: nobody, query: nobody }],
  [
    'with callbacks',
    {
      getConnection: nobody,
      query: () => undefined,
      promise: () => ({ query: nobody, getConnection: nobody }),
    },
  ],
])('takes a pool of mysql2 %s', async (_how, mysqlPool) => {
  const executor = fromDrizzle(database(mysqlPool));
  expect(executor.dialect).toBe('mysql');
  await expect(executor.query('SELECT 1')).rejects.toThrow('not asked');
});

it('follows the transactions of a database once, however often it makes an executor of it', async () => {
  const session = {
    transaction: (work: (transaction: object) => unknown) => Promise.resolve(work({ session: {} })),
  };
  const db = Object.assign(database(pool), { session });
  fromDrizzle(db);
  const followed = session.transaction;
  fromDrizzle(db);
  expect(session.transaction).toBe(followed);
  await expect(session.transaction(() => 'done')).resolves.toBe('done');
});
