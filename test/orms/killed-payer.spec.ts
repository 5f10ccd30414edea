import { resolve } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import * as typeorm from 'typeorm';
import { buildChildProgram, type ChildProgram } from '../support/child-program.js';
import { killedPayerContract } from '../support/killed-payer.js';
import { describeWith, mysqlService, postgresService } from '../support/services.js';
import { openTypeOrmOnMysql } from './mysql-database.js';
import { openTypeOrm } from './typeorm-database.js';
import { payerWithTypeOrm } from './typeorm-payer.js';

describe('a payment that a process enlists with TypeORM before it is killed', () => {
  let program: ChildProgram;

  beforeAll(async () => {
    // Beside TypeORM and mysql2, which are installed there alone.
    const nodeModules = resolve('test/orms/node_modules');
    program = await buildChildProgram('test/orms/payer-process.ts', { nodeModules });
  });
  afterAll(() => program.remove());

  describeWith([postgresService], 'on PostgreSQL', () => {
    killedPayerContract(
      () => program.file,
      async () => {
        const { dataSource, schema, pool, pass, close } = await openTypeOrm(typeorm);
        await dataSource.manager.query('CREATE TABLE invoices (reference text)');
        const { connectionString: url, options } = pool.options;
        return {
          place: JSON.stringify({ type: 'postgres', url, extra: { options }, schema }),
          open: () => payerWithTypeOrm(dataSource, schema),
          rows: () => rowsOf(dataSource),
          pass,
          close,
        };
      },
    );
  });

  describeWith([mysqlService], 'on MariaDB', () => {
    killedPayerContract(
      () => program.file,
      async () => {
        const { dataSource, url, inTime, pass, close } = await openTypeOrmOnMysql(typeorm);
        await dataSource.manager.query('CREATE TABLE invoices (reference VARCHAR(64) NOT NULL)');
        return {
          place: JSON.stringify({ type: 'mariadb', url }),
          open: () => payerWithTypeOrm(dataSource, undefined, inTime),
          rows: () => rowsOf(dataSource),
          pass,
          close,
        };
      },
    );
  });
});

async function rowsOf({ manager }: typeorm.DataSource): Promise<readonly string[]> {
  const rows = await manager.query('SELECT reference FROM invoices');
  return (rows as { readonly reference: string }[]).map(({ reference }) => reference);
}
