import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildChildProgram, type ChildProgram } from '../../../support/child-program.js';
import { type ClosableDatabase, describeWithSqlite, openSqliteFile } from '../../../support/sqlite-file.js';
import { DEATH_POINTS, KilledShop } from '../../../support/killed-shop.js';

const KILLED_AFTER = 4;

describeWithSqlite('an application on sqliteStorage({ file, transactional: true }) that is killed', () => {
  let program: ChildProgram;
  let shop: KilledShop;
  let tables: ClosableDatabase;

  beforeAll(async () => {
    program = await buildChildProgram('test/support/sqlite-shop-process.ts', { startsOften: true });
  });
  afterAll(() => program.remove());
  beforeEach(() => {
    shop = new KilledShop(program.file);
    tables = openSqliteFile(shop.database);
    tables.exec('CREATE TABLE effects (reference TEXT)');
  });
  afterEach(async () => {
    tables.close();
    await shop.remove();
  });

  it('loses no webhook and makes no effect twice, wherever the process dies', async () => {
    const references = Array.from({ length: 24 }, (_, index) => `order-${100 + index}`);
    references.slice(0, 8).forEach((reference, index) => {
      shop.dieOnce(reference, DEATH_POINTS[index % DEATH_POINTS.length]!);
    });
    let answered = 0;
    const deliver = async (reference: string): Promise<void> => {
      await shop.deliver(reference);
      answered += 1;
      if (answered % KILLED_AFTER === 0) shop.kill();
    };
    // One after the other, so that no other death comes between. Then several at a time.
    for (const reference of references.slice(0, 8)) await shop.deliver(reference);
    expect(shop.deathsLeft).toEqual([]);
    const waiting = references.slice(8).values();
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (const reference of waiting) await deliver(reference);
      }),
    );
    for (const reference of references) await shop.deliver(reference);
    await shop.stop();
    const made = tables.prepare(
      'SELECT reference, count(*) AS times FROM effects GROUP BY reference ORDER BY 1',
    );
    expect(made.all().map((row) => ({ ...(row as object) }))).toEqual(
      references.map((reference) => ({ reference, times: 1 })),
    );
  });
});
