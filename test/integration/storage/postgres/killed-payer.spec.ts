import { afterAll, beforeAll } from 'vitest';
import { buildChildProgram, type ChildProgram } from '../../../support/child-program.js';
import { killedPayerContract } from '../../../support/killed-payer.js';
import { payerOnPostgres } from '../../../support/payer-databases.js';
import { openPaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

describeWith([postgresService], 'a payment that a process enlists on PostgreSQL before it is killed', () => {
  let program: ChildProgram;

  beforeAll(async () => {
    program = await buildChildProgram('test/support/payer-process.ts', { startsOften: true });
  });
  afterAll(() => program.remove());

  killedPayerContract(
    () => program.file,
    async () => {
      const { pool, schema, pass, close } = await openPaymentsDatabase(postgresService.url);
      await pool.query('CREATE TABLE invoices (reference text)');
      const { connectionString, options } = pool.options;
      return {
        place: JSON.stringify({ connectionString, options, schema }),
        open: () => payerOnPostgres(pool, schema),
        rows: async () => {
          const { rows } = await pool.query<{ readonly reference: string }>('SELECT reference FROM invoices');
          return rows.map(({ reference }) => reference);
        },
        pass,
        close,
      };
    },
  );
});
