import { symlinkSync, unlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { sqliteStorage } from 'nestjs-payments/sqlite';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { retryHelper } from '../../../support/retry-helper.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

const planned = journalRecord('order-1', { state: 'planned' });

describeWithSqlite('the journal of SQLite inside of a transaction', () => {
  let file: SqliteTestFile;
  let other: SqliteTestFile;

  beforeEach(() => {
    file = sqliteFile();
    other = sqliteFile();
  });
  afterEach(() => Promise.all([file.close(), other.close()]));

  it.each<[what: string, given: () => unknown, message: string]>([
    ['nothing', () => undefined, 'must be the DatabaseSync'],
    ['a text', () => 'BEGIN', 'must be the DatabaseSync'],
    ['a connection without a transaction', () => file.connect(), 'run BEGIN'],
    [
      'a transaction of another file',
      () => {
        other.open();
        const connection = other.connect();
        connection.exec('BEGIN');
        return connection;
      },
      'another file',
    ],
  ])('is refused with a sentence for %s', async (_, given, message) => {
    const { journal } = file.open();
    const joining = journal.within?.(given());
    await expect(joining).rejects.toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(message) as unknown,
    });
  });

  it.each(['returnArrays', 'readBigInts'])(
    'is written and found on a connection of the application with the option %s',
    async (option) => {
      const { journal } = file.open();
      const connection = file.connect({ [option]: true });
      connection.exec('BEGIN IMMEDIATE');
      const joined = await journal.within?.(connection);
      expect(await joined?.insert(planned, 0)).toMatchObject({ inserted: true });
      expect(await joined?.insert(planned, 0)).toMatchObject({
        inserted: false,
        stored: { record: planned },
      });
      connection.exec('COMMIT');
      expect((await journal.get(planned))?.record).toEqual(planned);
    },
  );

  it.each([
    ['commits', true],
    ['throws', false],
  ])('belongs to the transaction of a handler that %s', async (_, commits) => {
    const { inbox, journal } = file.open(true);
    const claim = claimed(await inbox.claim(inboxDelivery('order-1'), 60_000));
    await claim.within?.(async () => {
      const joined = await journal.within?.(claim.transaction);
      expect(await joined?.insert(planned, 0)).toMatchObject({ inserted: true });
    });
    expect(await journal.get(planned)).toBeUndefined();
    await (commits ? claim.finish() : claim.fail());
    expect((await journal.get(planned))?.record).toEqual(commits ? planned : undefined);
  });

  it('is not repeated if another connection writes: the transaction may end meanwhile', async () => {
    const { journal } = file.open();
    const [connection, writer] = [file.connect(), file.connect()];
    connection.exec('BEGIN');
    writer.exec('BEGIN IMMEDIATE');
    const joined = await journal.within?.(connection);
    const inserting = joined?.insert(planned, 0).then(() => 'written', String);
    connection.exec('ROLLBACK');
    writer.exec('COMMIT');
    expect(await inserting).toContain('PaymentsStorageError');
    expect(await journal.get(planned)).toBeUndefined();
  });

  it.each([
    ['reads', ''],
    ['has read', 'SELECT COUNT(*) FROM payments_journal'],
  ])(
    'says that a transaction that %s is to be run again if another connection writes, and the retry helper of the documents knows it',
    async (_, read) => {
      const { journal } = file.open();
      const [connection, writer] = [file.connect(), file.connect()];
      connection.exec(`BEGIN; ${read}`);
      const joined = await journal.within?.(connection);
      writer.exec('BEGIN IMMEDIATE; UPDATE payments_migrations SET version = version');
      const error: unknown = await joined?.insert(planned, 0).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: 'PaymentsStorageError',
        cause: { code: 'ERR_SQLITE_ERROR', errcode: 5 },
      });
      expect((await retryHelper()).isConcurrent(error)).toBe(true);
    },
  );

  it('is not written if the transaction has ended after it was joined', async () => {
    const { journal } = file.open();
    const connection = file.connect();
    connection.exec('BEGIN IMMEDIATE');
    const joined = await journal.within?.(connection);
    connection.exec('ROLLBACK');
    await expect(joined?.insert(planned, 0)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('The transaction ended before the payment was written') as unknown,
    });
    expect(await journal.get(planned)).toBeUndefined();
  });

  it('keeps its time on a connection that joins again', async () => {
    const { journal } = file.open();
    const connection = file.connect();
    for (const reference of ['order-1', 'order-2']) {
      connection.exec('BEGIN IMMEDIATE');
      const joined = await journal.within?.(connection);
      await joined?.insert({ ...planned, reference }, 0);
      connection.exec('COMMIT');
      file.pass(5_000);
    }
    const [first, second] = await Promise.all(
      ['order-1', 'order-2'].map((reference) => journal.get({ ...planned, reference })),
    );
    expect((second?.createdAt ?? 0) - (first?.createdAt ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  it('is written on a connection that the application has closed and opened again', async () => {
    const { journal } = file.open();
    const connection = file.connect();
    for (const reference of ['order-1', 'order-2']) {
      connection.exec('BEGIN IMMEDIATE');
      const joined = await journal.within?.(connection);
      expect(await joined?.insert({ ...planned, reference }, 0)).toMatchObject({ inserted: true });
      connection.exec('COMMIT');
      connection.close();
      connection.open();
    }
    expect(await journal.get({ ...planned, reference: 'order-2' })).toBeDefined();
  });

  it('is refused on a file to which the link of the storage leads now', async () => {
    const link = `${file.file}.link`;
    symlinkSync(file.file, link);
    const storage = sqliteStorage({ file: link });
    onTestFinished(() => storage.close?.());
    await storage.open?.();
    unlinkSync(link);
    symlinkSync(other.file, link);
    other.open();
    const connection = other.connect();
    connection.exec('BEGIN IMMEDIATE');
    await expect(storage.journal.within?.(connection)).rejects.toThrow('another file');
    connection.exec('ROLLBACK');
  });
});
