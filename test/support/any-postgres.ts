import { borrowPaymentsDatabase, openPaymentsDatabase, type PaymentsDatabase } from './payments-database.js';
import { startPglite } from './pglite-server.js';
import { postgresService } from './services.js';

/**
 * Tables of the package for a spec that any PostgreSQL serves: on the server if this run has one, which takes a fifth of
 * the CPU, and else inside this process, with one connection.
 */
export async function openAnyPostgres(): Promise<PaymentsDatabase> {
  if (postgresService.reachable) return borrowPaymentsDatabase(postgresService.url);
  const server = await startPglite();
  const database = await openPaymentsDatabase(server.url, { max: 1 });
  return {
    ...database,
    close: async () => {
      await database.close();
      await server.close();
    },
  };
}
