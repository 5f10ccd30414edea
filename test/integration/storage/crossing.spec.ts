import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { claimed, inboxDelivery, inboxKey } from '../../support/inbox-contract.js';
import { journalRecord } from '../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../support/pglite-server.js';
import { redisOfSpecs } from '../../support/redis-of-specs.js';
import { sealed } from '../../support/sealed-storage.js';
import { describeWith, redisService } from '../../support/services.js';

const BOOT_MS = 60_000;
const ODD = [
  'shop',
  'Shop',
  'SHOP',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '7',
  '07',
  '-',
  '_',
  '...',
  'x'.repeat(64),
];
const anyName = fc.oneof(fc.constantFrom(...ODD), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/));
const twoNames = fc.tuple(anyName, anyName).filter(([one, other]) => one !== other);
const BODY = '{"phone":"255712345678"}';
const LEASE_MS = 60_000;

/** What no account may see, or change, of another one in a storage. Call it inside a `describe`. */
function keepsAccountsApart(open: () => PaymentsStorage, numRuns: number): void {
  it('no payment, webhook or sealed value of one account is there for another of any name', async () => {
    const beneath = open();
    const { journal, inbox } = sealed(beneath);
    let run = 0;
    const check = fc.asyncProperty(twoNames, async ([one, other]) => {
      const reference = `order-${(run += 1)}`;
      const record = { ...journalRecord(reference, { body: BODY }), account: one };
      const { environment, family } = record;
      const foreign = { account: other, environment, family, reference };
      const inserted = await journal.insert(record, LEASE_MS);
      expect(inserted).toMatchObject({ inserted: true, stored: { record: { account: one, body: BODY } } });
      expect(await journal.get(foreign)).toBeUndefined();
      expect(await journal.tombstone(foreign)).toBeUndefined();
      expect(await journal.remove(foreign, 1)).toBe(false);
      const { entries } = await journal.list(foreign, [], { limit: 1_000 });
      expect(entries.filter(({ record: found }) => found.reference === reference)).toEqual([]);

      const claim = claimed(
        await inbox.claim(inboxDelivery(reference, { key: inboxKey(reference, { account: one }) }), LEASE_MS),
      );
      await claim.finish();
      const second = inboxDelivery(reference, { key: inboxKey(reference, { account: other }) });
      expect(await inbox.claim(second, LEASE_MS)).toMatchObject({ result: 'claimed', claim: { attempt: 1 } });

      // An attacker who can write to the storage moves the sealed body to another account, and to another entry.
      const stored = await beneath.journal.get(record);
      expect(stored?.record.body).toMatch(/^sealed:/);
      for (const place of [{ account: other }, { reference: `${reference}-moved` }]) {
        const moved = { ...stored!.record, ...place };
        await beneath.journal.insert(moved, LEASE_MS);
        const opened = await journal.get(moved);
        expect(opened?.damaged).toMatch(/does not open/);
        expect(JSON.stringify(opened)).not.toContain('255712345678');
      }
      expect(await journal.get(record)).toMatchObject({ record: { account: one, body: BODY } });
    });
    await fc.assert(check, { numRuns });
  });
}

describe('accounts in memoryStorage()', () => {
  keepsAccountsApart(() => memoryStorage(), 200);
});

describeWith([redisService], 'accounts in redisStorage()', () => {
  const { prefix, client } = redisOfSpecs();
  keepsAccountsApart(() => redisStorage({ client: client(), keyPrefix: prefix }), 40);
});

describe('accounts in postgresStorage()', () => {
  let server: PgliteServer | undefined;
  let database: PaymentsDatabase;
  beforeAll(async () => {
    server = await startPglite();
    database = await openPaymentsDatabase(server.url, { max: 1 });
  }, BOOT_MS);
  afterAll(async () => {
    await server?.close();
  });
  keepsAccountsApart(() => postgresStorage({ pool: database.pool, schema: database.schema }), 25);
});
