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
  'fromDrizzle(db) needs a database of drizzle-orm/node-postgres with a pool of pg: write drizzle({ client: new Pool({ connectionString }) }).';

it.each<[what: string, given: unknown]>([
  ['nothing', undefined],
  ['the pool itself', pool],
  ['one client, whose transactions would run into each other', database({ connect: nobody, query: nobody })],
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
