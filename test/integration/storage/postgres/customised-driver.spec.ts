import { type Pool, type PoolClient } from 'pg';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { parsedTypes } from '../../../support/parsed-types.js';
import { type Story, storyOf } from '../../../support/storage-story.js';

type Query = (...given: unknown[]) => Promise<{ readonly rows: readonly object[] }>;

/** How an application may have customised its pool. */
interface Habit {
  readonly config?: object;
  /** What its connections begin with. */
  readonly settings?: string;
  /** What the application sends on each new connection, and does not wait for. */
  readonly onConnect?: string;
  /** What takes the place of the pool. */
  readonly around?: (pool: Pool) => Pool;
}

/** Settings of a server that change what statements mean, or the form of their results. */
const SETTINGS = {
  ...{ datestyle: 'SQL, DMY', intervalstyle: 'sql_standard', timezone: 'Asia/Kathmandu' },
  ...{ bytea_output: 'escape', extra_float_digits: '-15', standard_conforming_strings: 'off' },
  ...{ array_nulls: 'off', transform_null_equals: 'on', quote_all_identifiers: 'on' },
  ...{ default_transaction_deferrable: 'on', synchronous_commit: 'off', enable_seqscan: 'off', jit: 'off' },
};
const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
const camelCase = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** A pool whose clients send their queries through a wrapper, as tracers have them. */
function wrapping(wrap: (query: Query, given: unknown[]) => unknown) {
  return (pool: Pool): Pool =>
    pool.on('connect', (client: PoolClient) => {
      const query = client.query.bind(client) as unknown as Query;
      Object.assign(client, { query: (...given: unknown[]) => wrap(query, given) });
    });
}

const HABITS: readonly (readonly [name: string, habit: Habit])[] = [
  ['parses every type but text', { config: { types: parsedTypes } }],
  ['gets its results in binary form', { config: { binary: true } }],
  ['has other settings of the server', { settings: asOptions(SETTINGS) }],
  ['is SERIALIZABLE', { settings: asOptions({ default_transaction_isolation: 'serializable' }) }],
  ['sets up each new connection', { onConnect: "SET TIME ZONE 'America/St_Johns'; SET ROLE CURRENT_USER" }],
  ['has no search path', { onConnect: "SET search_path = ''" }],
  ['uses a connection once', { config: { maxUses: 1, allowExitOnIdle: true, keepAlive: true } }],
  ['has limits', { config: { idleTimeoutMillis: 1, query_timeout: 5_000, statement_timeout: 4_500 } }],
  ['wraps queries in promises', { around: wrapping(async (query, given) => await query(...given)) }],
  [
    'reads the text of each query',
    {
      around: wrapping((query, given) => {
        const [asked] = given as [string | { readonly text: string }];
        expect((typeof asked === 'string' ? asked : asked.text).trim()).not.toBe('');
        return query(...given);
      }),
    },
  ],
  ['is a proxy', { around: (pool) => new Proxy(pool, {}) }],
];

describeWith([postgresService], 'a pool that the application has customised', () => {
  let database: PaymentsDatabase;
  const opened = ({ config = {}, settings = '', onConnect, around = (pool) => pool }: Habit): Pool => {
    const options = `${database.options} ${settings}`;
    const pool = database.connect({ ...config, options });
    if (onConnect !== undefined) {
      pool.on('connect', (client) => {
        client.query(onConnect).catch(() => undefined);
      });
    }
    return around(pool);
  };
  const told = (pool: Pool, transactional: boolean): Promise<Story> => {
    const { schema } = database;
    const storage = postgresStorage({ pool, schema, transactional, preparedStatements: !transactional });
    const transaction = async (work: (handle: unknown) => Promise<void>): Promise<void> => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
      client.release();
    };
    return storyOf({ ...storage, transaction }, 'shop');
  };
  const usual: Story[] = [];

  beforeAll(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    for (const transactional of [false, true]) {
      usual.push(await told(database.connect(), transactional));
      await database.clear();
    }
  });
  afterEach(() => database.clear());
  afterAll(() => database.close());

  describe.each([
    ['plainly', false],
    ['with transactions', true],
  ])('is used %s', (_how, transactional) => {
    it.each(HABITS)('gives what every other pool gives, if it %s', async (_name, habit) => {
      expect(await told(opened(habit), transactional)).toEqual(usual[Number(transactional)]);
    });
  });

  it.each([false, true])(
    'has connections with the same settings, listeners and methods afterwards, with transactions: %s',
    async (transactional) => {
      const pool = opened({ config: { max: 4 } });
      const stateOf = async (): Promise<unknown[]> => {
        const clients = await Promise.all([1, 2, 3, 4].map(() => pool.connect()));
        const states = clients.map(async (client) => [
          (await client.query('SELECT name, setting FROM pg_settings ORDER BY name')).rows,
          client.eventNames().map((event) => [event, client.listenerCount(event)]),
          Object.hasOwn(client, 'query'),
        ]);
        const all = await Promise.all(states);
        for (const client of clients) client.release();
        return all;
      };
      const before = await stateOf();
      await told(pool, transactional);
      expect(await stateOf()).toEqual(before);
    },
  );

  it('is refused if it changes the encoding of texts, also where a payment is enlisted', async () => {
    const latin1 = opened({ onConnect: "SET client_encoding = 'LATIN1'" });
    const refusal = {
      name: 'PaymentsStorageError',
      message: expect.stringContaining('client_encoding LATIN1') as unknown,
    };
    await expect(told(latin1, false)).rejects.toMatchObject(refusal);
    const { schema } = database;
    const pool = opened({});
    const { journal } = postgresStorage({ pool, schema });
    await journal.get(journalRecord('order-1'));
    for (const given of [latin1, pool]) {
      const client = await given.connect();
      onTestFinished(() => {
        client.release(true);
      });
      await client.query("SET client_encoding = 'LATIN1'; BEGIN");
      await expect(journal.within?.(client)).rejects.toMatchObject(refusal);
    }
  });

  it.each<readonly [string, (row: object) => unknown]>([
    ['renames columns', camelCase],
    ['gives rows as arrays', Object.values],
    ['parses texts', (row) => Object.fromEntries(Object.keys(row).map((name) => [name, { parsed: true }]))],
  ])('is refused before anything is written, if it %s', async (_name, change) => {
    const around = wrapping(async (query, given) => {
      const result = await query(...given);
      return { ...result, rows: result.rows.map(change) };
    });
    const refusal = {
      name: 'PaymentsStorageError',
      message: expect.stringContaining('renames the columns') as unknown,
    };
    const pool = opened({ around });
    await expect(told(pool, false)).rejects.toMatchObject(refusal);
    expect((await database.pool.query('SELECT FROM payments_journal')).rowCount).toBe(0);
    await expect(migratePayments(pool, { schema: 'no such schema' })).rejects.toMatchObject(refusal);
  });
});
