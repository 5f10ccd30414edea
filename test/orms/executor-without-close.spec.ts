import { expect, it } from 'vitest';
import { type SqlExecutor, type SqlRunner, sqlStorage } from 'nestjs-payments/sql';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { openPaymentsDatabase } from '../support/payments-database.js';
import { describeWith, postgresService } from '../support/services.js';

interface Client {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>;
}

function runOn(client: Client): SqlRunner {
  return {
    query: async <Row extends object>(text: string, values?: readonly unknown[]) =>
      (await client.query(text, values && [...values])).rows as Row[],
    execute: async (text, values) => ({
      affectedRows: (await client.query(text, values && [...values])).rowCount ?? 0,
    }),
  };
}

describeWith([postgresService], 'an executor whose transactions have no close()', () => {
  it('is not believed if PostgreSQL answers its COMMIT with a ROLLBACK', async () => {
    const { pool, schema, close } = await openPaymentsDatabase(postgresService.url);
    let beforeCommit = 'SELECT 1 / 0';
    const executor: SqlExecutor = {
      dialect: 'postgres',
      ...runOn(pool),
      transaction: async (work) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          const result = await work({ ...runOn(client), handle: client });
          // What a handler left running fails after the record.
          await client.query(beforeCommit).catch(() => undefined);
          await client.query('COMMIT');
          return result;
        } finally {
          client.release();
        }
      },
      wrapTransaction: (handle) => ({ ...runOn(handle as Client), handle }),
    };
    const { inbox } = sqlStorage({ executor, schema, transactional: true });
    const claim = async () => claimed(await inbox.claim(inboxDelivery('order-1'), 60_000));
    await expect((await claim()).finish()).rejects.toThrow('undid the webhook transaction');
    beforeCommit = 'SELECT 1';
    expect(await (await claim()).finish()).toBe(true);
    await close();
  });
});
