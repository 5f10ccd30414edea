import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PaymentsStorage, PaymentsStorageError } from 'nestjs-payments';
import { sqliteStorage } from 'nestjs-payments/sqlite';
import { buildChildProgram } from '../../../support/child-program.js';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { allBut, journalRecord, storedBy } from '../../../support/journal-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

const LEASE_MS = 60_000;
const SCOPE = { account: 'default', environment: 'sandbox', family: 'collection' } as const;
/** Texts that a database could refuse, cut off or take for each other. */
const ODD_TEXTS = [
  'a\0b',
  'a',
  'A',
  'ab',
  '\ud800',
  '\udc00',
  '\ufffd',
  '\\',
  '\\u0000',
  '"',
  "'",
  '?',
  ' ',
  'a ',
  'ä',
  'a\u0308',
];

describeWithSqlite('the file of sqliteStorage()', () => {
  let file: SqliteTestFile;

  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  const opening = (path = file.file) => sqliteStorage({ file: path }).open?.();

  it('keeps what was written, for the next start', async () => {
    const first = file.open();
    const { version } = storedBy(await first.journal.insert(journalRecord('order-1'), LEASE_MS));
    await claimed(await first.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    await first.close?.();
    const second = file.open();
    expect((await second.journal.get(journalRecord('order-1')))?.version).toBe(version);
    expect(await second.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
  });

  it.each<[what: string, row: string, purge: (storage: PaymentsStorage) => Promise<number>]>([
    [
      'outcomes',
      `INSERT INTO payments_inbox (account, environment, kind, reference, event, fingerprint, state, fence, attempt, finished,
        changed_at, lease_until)
      SELECT 'default', 'sandbox', 'outcome', 'order-' || n, 'paid', 'f', 'done', 'f', 1, '[', 0, 0 FROM numbers`,
      ({ inbox }) => inbox.purge(SCOPE, 1),
    ],
    [
      'payments',
      `INSERT INTO payments_journal (account, environment, family, reference, payment, state, attempt, intent, record, outcome,
        settled_by, keeps_key, version, created_at, updated_at, attempt_at, lease_until)
      SELECT 'default', 'sandbox', 'collection', 'order-' || n, 'h-' || n, 'settled', 1, 'i', '{}', 'success', 'webhook', 0, n,
        0, 0, 0, 0 FROM numbers`,
      ({ journal }) => journal.purge(SCOPE, 'settled', 1),
    ],
  ])('lets others continue after every hundred %s of a purge', async (_what, rows, purge) => {
    const storage = file.open();
    file.connect()
      .exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
      ${rows}`);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    setImmediate(count);
    expect(await purge(storage).finally(() => (isOver = true))).toBe(3_000);
    expect(turns).toBeGreaterThanOrEqual(30);
  });

  it('has a short log again after a reader has made it long', async () => {
    const { journal } = file.open();
    const log = (): number => statSync(`${file.file}-wal`).size;
    await journal.insert(journalRecord('order-0'), LEASE_MS);
    const reader = file.connect();
    reader.exec('BEGIN; SELECT COUNT(*) FROM payments_journal');
    const body = 'x'.repeat(2_000_000);
    for (let n = 1; n <= 10; n += 1) await journal.insert(journalRecord(`order-${n}`, { body }), LEASE_MS);
    expect(log()).toBeGreaterThan(20_000_000);
    reader.exec('COMMIT');
    for (let n = 11; n <= 13; n += 1) await journal.insert(journalRecord(`order-${n}`), LEASE_MS);
    expect(log()).toBeLessThanOrEqual(16_777_216);
  });

  it('keeps every text as a reference apart from every other', async () => {
    const { inbox, journal } = file.open();
    for (const reference of ODD_TEXTS) {
      const claim = claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS));
      expect(claim.attempt).toBe(1);
      await claim.finish();
      expect((await journal.insert(journalRecord(reference), 0)).inserted).toBe(true);
    }
    const { entries } = await journal.list(SCOPE, allBut('in-flight'), { limit: 99 });
    expect(entries.map(({ record }) => record.reference)).toEqual(ODD_TEXTS);
  });

  it('is opened once in a process', async () => {
    const first = file.open();
    await expect(opening()).rejects.toThrow(PaymentsStorageError);
    await expect(opening()).rejects.toThrow('is in use by another process');
    await first.close?.();
    await file.open().open?.();
  });

  it.each([
    ['that exists', true],
    ['that it makes', false],
  ])('is opened once, also through a link to a file %s', async (_, exists) => {
    if (exists) await file.open().close?.();
    const link = `${file.file}.link`;
    symlinkSync(file.file, link);
    const first = sqliteStorage({ file: link });
    await first.open?.();
    await expect(opening()).rejects.toThrow('is in use by another process');
    await first.close?.();
    await file.open().open?.();
  });

  it('says of a folder that is not there, and of a file that is no database, what is wrong', async () => {
    const nowhere = join(file.file, 'nowhere', 'shop.db');
    await expect(opening(nowhere)).rejects.toThrow(
      `SQLite cannot open ${nowhere}: unable to open database file (14). Name a file in a folder that is there, `,
    );
    const first = file.open();
    await first.close?.();
    expect(existsSync(`${file.file}.lock`)).toBe(true);
    const text = `${file.file}.txt`;
    writeFileSync(text, 'no database '.repeat(100));
    await expect(opening(text)).rejects.toThrow(
      `SQLite cannot open ${text}: file is not a database (26). Name another file: this one is no database of SQLite.`,
    );
  });

  it('is left alone if a newer version of the package made it', async () => {
    await file.open().close?.();
    const tables = file.connect();
    tables.exec('INSERT INTO payments_migrations VALUES (9, 5, 0)');
    await expect(opening()).rejects.toThrow('holds version 9 of the tables of nestjs-payments');
    tables.exec('DELETE FROM payments_migrations WHERE version = 9');
    await file.open().open?.();
  });

  it('is the one that the path means when the storage is made: the working directory may change', async () => {
    const storage = sqliteStorage({ file: relative(process.cwd(), file.file) });
    await storage.close?.();
    await expect(storage.journal.get(journalRecord('order-1'))).rejects.toThrow(
      `The file ${file.file} is closed`,
    );
  });

  it('is used if a newer version of the package made it that this one may work on', async () => {
    await file.open().close?.();
    file.connect().exec('INSERT INTO payments_migrations VALUES (9, 1, 0)');
    await file.open().open?.();
  });

  it('is free again after a kill, and holds nothing of a handler that the kill interrupted', async () => {
    const program = await buildChildProgram('test/support/sqlite-handler-process.ts');
    const handler = spawn(process.execPath, [program.file, file.file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await said(handler, 'written');
      await expect(opening()).rejects.toThrow('is in use by another process');
    } finally {
      handler.kill('SIGKILL');
      await once(handler, 'exit');
      await program.remove();
    }
    const { inbox } = file.open(true);
    expect(file.connect().prepare('SELECT reference FROM orders').all()).toEqual([{ reference: 'order-1' }]);
    expect(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).toEqual({ result: 'done' });
    expect((await inbox.claim(inboxDelivery('order-2'), LEASE_MS)).result).toBe('busy');
    file.pass(LEASE_MS);
    expect(claimed(await inbox.claim(inboxDelivery('order-2'), LEASE_MS)).attempt).toBe(2);
  });
});

async function said({ stdout }: ChildProcess, word: string): Promise<void> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    if (text.includes(word)) return;
  }
  throw new Error(`The process ended and said ${text}`);
}
