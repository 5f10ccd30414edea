// An application with TypeORM on PostgreSQL or MariaDB that enlists a payout and dies.
import { DataSource } from 'typeorm';
import { runPayer } from '../support/killed-payer-application.js';
import { payerWithTypeOrm } from './typeorm-payer.js';

await runPayer(async (place) => {
  const { schema, ...options } = JSON.parse(place) as { readonly schema?: string };
  return payerWithTypeOrm(await new DataSource(options).initialize(), schema);
});
