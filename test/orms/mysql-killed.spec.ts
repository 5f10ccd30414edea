import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildChildProgram, type ChildProgram } from '../support/child-program.js';
import { DEATH_POINTS, KilledShop } from '../support/killed-shop.js';
import { describeWith, mysqlService } from '../support/services.js';
import { type MysqlDatabase, openMysql } from './mysql-database.js';

const REPLICAS = 2;
const KILLED_AFTER = 3;
/** Processes start some thirty times. */
const SLOW_MS = 180_000;

describeWith([mysqlService], 'replicas with TypeORM on MariaDB that are killed', () => {
  let program: ChildProgram;
  let database: MysqlDatabase;
  let shops: readonly KilledShop[];

  beforeAll(async () => {
    // Beside TypeORM and mysql2, which are installed there alone.
    const nodeModules = resolve('test/orms/node_modules');
    program = await buildChildProgram('test/orms/mysql-shop-process.ts', { nodeModules });
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    database = await openMysql();
    await database.pool.query('CREATE TABLE effects (reference VARCHAR(64) NOT NULL)');
    shops = Array.from({ length: REPLICAS }, () => new KilledShop(program.file, database.url));
  });
  afterEach(async () => {
    await Promise.all(shops.map((shop) => shop.remove()));
    await database.close();
  });

  it(
    'lose no webhook and make no effect twice, wherever a process dies',
    async () => {
      const references = Array.from({ length: 24 }, (_, index) => `order-${100 + index}`);
      references.slice(0, 8).forEach((reference, index) => {
        // Whichever replica comes there first.
        for (const shop of shops) shop.dieOnce(reference, DEATH_POINTS[index % DEATH_POINTS.length]!);
      });
      let answered = 0;
      const deliver = async (reference: string): Promise<void> => {
        await Promise.all(shops.map((shop) => shop.deliver(reference)));
        answered += 1;
        if (answered % KILLED_AFTER === 0) shops[answered % REPLICAS]?.kill();
      };
      // One after the other, so that no other death comes between. Then several at a time.
      for (const reference of references.slice(0, 8))
        await Promise.all(shops.map((shop) => shop.deliver(reference)));
      const waiting = references.slice(8).values();
      await Promise.all(
        Array.from({ length: 3 }, async () => {
          for (const reference of waiting) await deliver(reference);
        }),
      );
      const deaths = references
        .slice(0, 8)
        .filter((reference) =>
          shops.some(({ deathsLeft }) => !deathsLeft.some((death) => death.startsWith(`${reference} `))),
        );
      expect(deaths).toHaveLength(8);
      for (const reference of references) await Promise.all(shops.map((shop) => shop.deliver(reference)));
      const [made] = await database.pool.query(
        'SELECT reference, CAST(count(*) AS SIGNED) AS times FROM effects GROUP BY reference ORDER BY reference',
      );
      expect(made).toEqual(references.map((reference) => ({ reference, times: 1 })));
    },
    SLOW_MS,
  );
});
