import { borrowPaymentsDatabase, openPaymentsDatabase, type PaymentsDatabase } from './payments-database.js';
import { startPglite } from './pglite-server.js';
import { postgresService } from './services.js';

/** What a spec expects in turn happens in turn. PGlite has no more. */
const ONE_CONNECTION = { max: 1 };

/**
 * Tables of the package for a spec that any PostgreSQL serves: on the server if this run has one, which takes a fifth of
 * the CPU, and else inside this process.
 */
export async function openAnyPostgres(): Promise<PaymentsDatabase> {
  if (postgresService.reachable || process.env['REQUIRE_SERVICES'] === '1')
    return borrowPaymentsDatabase(postgresService.url, ONE_CONNECTION);
  const server = await startPglite();
  const database = await openPaymentsDatabase(server.url, ONE_CONNECTION);
  return {
    ...database,
    close: async () => {
      await database.close();
      await server.close();
    },
  };
}
