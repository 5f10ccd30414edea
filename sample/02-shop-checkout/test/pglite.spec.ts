import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../../test/support/pglite-template.js';
import { PgliteDatabase } from '../src/database/pglite.database.js';

const BOOT_MS = 120_000;

describe('PGlite instead of a server', () => {
  let directory: string;
  let database: PgliteDatabase;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shop-'));
    database = await PgliteDatabase.open(directory);
    await database.pool.query('CREATE TABLE notes (words text)');
  }, BOOT_MS);
  afterAll(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  const notes = async (): Promise<readonly string[]> =>
    (await database.pool.query<{ words: string }>('SELECT words FROM notes')).rows.map(({ words }) => words);

  it('PGlite rolls back the open transaction of a connection that ended', async () => {
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO notes VALUES ($1)', ['left open']);
    client.release(true);
    expect(await notes()).toEqual([]);
  });

  it('PGlite works on after a statement failed', async () => {
    await expect(database.pool.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await notes()).toEqual([]);
  });

  it('PGlite sends the notifications of committed transactions and of no others', async () => {
    const heard: unknown[] = [];
    await database.listen('notes', (words) => heard.push(words));
    await database.pool.query(`BEGIN; NOTIFY notes, 'undone'; ROLLBACK`);
    await database.pool.query(`NOTIFY notes, 'done'`);
    expect(heard).toEqual(['done']);
  });

  it(
    'still has its data after a restart',
    async () => {
      await database.pool.query('INSERT INTO notes VALUES ($1)', ['kept']);
      await database.close();
      database = await PgliteDatabase.open(directory);
      expect(await notes()).toEqual(['kept']);
    },
    BOOT_MS,
  );
});
