import { expect, it } from 'vitest';
import { PreparedStatements } from '../../../../lib/storage/postgres/prepared-statements.js';
import { type PostgresClient } from '../../../../lib/storage/postgres/postgres-pool.js';

const SMALL = '8192';
const LARGE = '2000000';
/** So many statements lie between two looks. */
const BETWEEN = 1_000;

/** A client of `pg` that ends at process 7 of the server, which answers every look so. */
function clientWith(
  answers: (string | Error)[],
  pid = '7',
): { client: PostgresClient; named: () => number; looks: () => number } {
  let [named, looks] = [0, 0];
  const client = {
    processID: 7,
    query: (given: string | { readonly name: string }) => {
      if (typeof given === 'object') named += 1;
      if (typeof given !== 'string' || !given.includes('pg_relation_size'))
        return Promise.resolve({ rows: [], rowCount: 0 });
      looks += 1;
      const bytes = answers.shift();
      if (typeof bytes === 'string') return Promise.resolve({ rows: [{ pid, bytes }], rowCount: 1 });
      return Promise.reject(bytes ?? new Error('It looked once more.'));
    },
  };
  return { client: client as unknown as PostgresClient, named: () => named, looks: () => looks };
}

async function send(prepared: PreparedStatements, client: PostgresClient, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) await prepared.query(client, 'SELECT $1', ['1']);
}

async function lookedAt(client: PostgresClient): Promise<PreparedStatements> {
  const prepared = new PreparedStatements(undefined, { journal: 'payments_journal' });
  await prepared.look(client, (text) => client.query(text));
  return prepared;
}

it('statements are prepared from the look on that finds a large journal', async () => {
  const { client, named } = clientWith([SMALL, SMALL, LARGE]);
  const prepared = await lookedAt(client);
  await send(prepared, client, 2 * BETWEEN - 1);
  expect(named()).toBe(0);
  await send(prepared, client, 100);
  expect(named()).toBeGreaterThan(0);
});

it('a look that fails disturbs no statement, and is repeated later', async () => {
  const answers = [SMALL, new Error('canceling statement due to lock timeout'), LARGE];
  const { client, named } = clientWith(answers);
  const prepared = await lookedAt(client);
  await send(prepared, client, 2 * BETWEEN + 100);
  expect(answers).toEqual([]);
  expect(named()).toBeGreaterThan(0);
});

it('the journal is not looked at again behind a pooler', async () => {
  const { client, named, looks } = clientWith([SMALL], '8');
  const prepared = await lookedAt(client);
  await send(prepared, client, 2 * BETWEEN);
  expect(named()).toBe(0);
  expect(looks()).toBe(1);
});
