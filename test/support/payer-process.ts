// An application on PostgreSQL or SQLite that enlists a payout and dies.
import { Pool, type PoolConfig } from 'pg';
import { runPayer } from './killed-payer-application.js';
import { payerOnPostgres, payerOnSqlite } from './payer-databases.js';

await runPayer((place) => {
  if (!place.startsWith('{')) return payerOnSqlite(place);
  const { schema, ...config } = JSON.parse(place) as PoolConfig & { readonly schema: string };
  return payerOnPostgres(new Pool(config), schema);
});
