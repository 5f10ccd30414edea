import { type SqliteDatabase, sqliteStorage } from 'nestjs-payments/sqlite';
import { type InboxClaim, type InboxKey } from 'nestjs-payments';

/** Handles one delivery to its end, and stops in the middle of the second one: it waits to be killed. */
const { inbox } = sqliteStorage({ file: process.argv[2] ?? '', transactional: true });

async function claim(reference: string): Promise<InboxClaim> {
  const key: InboxKey = { account: 'default', environment: 'sandbox', kind: 'outcome', reference };
  const result = await inbox.claim(
    { key, event: 'payment.success', fingerprint: 'f1', replaces: [] },
    60_000,
  );
  if (result.result !== 'claimed') throw new Error(result.result);
  (result.claim.transaction as SqliteDatabase).exec(
    `CREATE TABLE IF NOT EXISTS orders (reference TEXT); INSERT INTO orders VALUES ('${reference}')`,
  );
  return result.claim;
}

const first = await claim('order-1');
await first.finish();
await claim('order-2');
process.stdout.write('written\n');
setInterval(() => undefined, 60_000);
