import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';
import { type Story, storyOf } from '../../../support/storage-story.js';

/** What an application has in its file before the storage comes. */
const MADE = `PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 512; PRAGMA auto_vacuum = FULL; PRAGMA user_version = 42;
  PRAGMA application_id = 7; PRAGMA journal_mode = TRUNCATE; CREATE TABLE orders (reference TEXT)`;
const PRAGMAS = `PRAGMA foreign_keys = ON; PRAGMA case_sensitive_like = ON; PRAGMA recursive_triggers = ON;
  PRAGMA reverse_unordered_selects = ON; PRAGMA trusted_schema = OFF; PRAGMA synchronous = OFF`;

const HABITS: readonly (readonly [what: string, options: object, pragmas: string])[] = [
  ['integers as BigInt', { readBigInts: true }, ''],
  ['rows as arrays', { returnArrays: true }, ''],
  ['texts in double quotes', { enableDoubleQuotedStringLiterals: true, defensive: true }, ''],
  ['settings of its own', { enableForeignKeyConstraints: false, timeout: 1_000 }, PRAGMAS],
];

describeWithSqlite('sqliteStorage() beside a connection that its application has set up for itself', () => {
  let place: SqliteTestFile;
  let usual: Story;
  let told: (account: string, options?: object, pragmas?: string) => Promise<Story>;

  beforeAll(async () => {
    place = sqliteFile();
    place.connect().exec(MADE);
    const storage = place.open(true);
    told = (account, options = {}, pragmas = '') => {
      const connection = place.connect(options);
      connection.exec(pragmas);
      const transaction = async (work: (handle: unknown) => Promise<void>): Promise<void> => {
        connection.exec('BEGIN IMMEDIATE');
        try {
          await work(connection);
          connection.exec('COMMIT');
        } catch (error) {
          // The next test would wait for it.
          connection.exec('ROLLBACK');
          throw error;
        }
      };
      return storyOf({ ...storage, transaction }, account);
    };
    usual = await told('usual');
  });
  afterAll(() => place.close());

  it.each(HABITS)('answers the same where a payment is enlisted: %s', async (what, options, pragmas) => {
    expect(await told(what.replaceAll(' ', '-'), options, pragmas)).toEqual(usual);
  });

  it('enlists nothing if the connection hides what a statement changed', async () => {
    await expect(told('counts', {}, 'PRAGMA count_changes = ON')).rejects.toThrow('count_changes on');
  });

  it('leaves what the application wrote into the head of its file', () => {
    const own = place.connect();
    const kept = ['user_version', 'application_id', 'encoding', 'page_size'];
    const values = kept.map(
      (name) => Object.values(own.prepare(`PRAGMA ${name}`).get() as object)[0] as unknown,
    );
    expect(values).toEqual([42, 7, 'UTF-16le', 512]);
  });
});
