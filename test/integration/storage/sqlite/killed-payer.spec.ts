import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { buildChildProgram, type ChildProgram } from '../../../support/child-program.js';
import { killedPayerContract } from '../../../support/killed-payer.js';
import { payerOnSqlite } from '../../../support/payer-databases.js';
import { describeWithSqlite, openSqliteFile } from '../../../support/sqlite-file.js';

describeWithSqlite('a payment that a process enlists on a file of SQLite before it is killed', () => {
  let program: ChildProgram;

  beforeAll(async () => {
    program = await buildChildProgram('test/support/payer-process.ts', { startsOften: true });
  });
  afterAll(() => program.remove());

  killedPayerContract(
    () => program.file,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'nestjs-payments-killed-payer-'));
      const file = join(folder, 'shop.db');
      const tables = openSqliteFile(file);
      tables.exec('CREATE TABLE invoices (reference TEXT)');
      let aheadMs = 0;
      return {
        place: file,
        open: () => payerOnSqlite(file, aheadMs),
        rows: () => {
          const rows = tables.prepare('SELECT reference FROM invoices').all();
          return (rows as { readonly reference: string }[]).map(({ reference }) => reference);
        },
        pass: (ms) => {
          aheadMs += ms;
        },
        close: () => {
          tables.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  );
});
