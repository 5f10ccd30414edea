import { Pool } from 'pg';
import { type JournalStore, type PaymentsStorage } from '../../lib/index.js';
import { migratePayments, postgresStorage } from '../../lib/postgres/index.js';
import { redisStorage } from '../../lib/redis/index.js';
import { type StorageMode } from './plan.js';

const KEY = { account: 'default', environment: 'sandbox', family: 'collection' } as const;

/** References whose entry in the inbox, row of effects and payment in the journal do not stand together. */
const CONTRADICTIONS = `
  WITH standing AS (SELECT reference, count(*) AS times FROM effects GROUP BY reference)
  SELECT reference, times, inbox.state AS inbox, journal.state AS journal
  FROM standing FULL JOIN payments_inbox inbox USING (reference) FULL JOIN payments_journal journal USING (reference)
  WHERE coalesce(inbox.state = 'done', false) <> (times IS NOT NULL)
     OR times > 1
     OR journal.state = 'settled' AND times IS NULL
     OR journal.state <> 'settled' AND times IS NOT NULL`;

/** What the runner itself writes to and reads from the storage under test. */
export class Books {
  private constructor(
    private readonly storage: PaymentsStorage,
    private readonly pool: Pool | undefined,
  ) {}

  static async open(mode: StorageMode, url: string): Promise<Books> {
    if (mode === 'redis' || mode === 'bullmq') return new Books(redisStorage({ url }), undefined);
    const pool = new Pool({ connectionString: url, max: 10 });
    pool.on('error', () => undefined);
    await migratePayments(pool);
    // Nothing here keeps a second effect away: it is to be seen.
    await pool.query('CREATE TABLE effects (reference text COLLATE "C" NOT NULL)');
    return new Books(postgresStorage({ pool }), pool);
  }

  /** Writes payments down as a merchant does before they are paid. */
  async writeDown(references: readonly string[]): Promise<void> {
    await each(references, (reference) => this.journal.insert(payment(reference), 0));
  }

  /** Those that are not in the journal as paid. */
  async unpaid(references: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    await each(references, async (reference) => {
      const { record } = (await this.journal.get({ ...KEY, reference })) ?? {};
      const paid =
        record?.state === 'settled' && record.outcome === 'success' && record.settledBy === 'webhook';
      if (!paid) found.push(reference);
    });
    return found;
  }

  /** For every effect that stands its reference. Only where effects are rows of the same database. */
  async effects(): Promise<string[]> {
    return (await this.query('SELECT reference FROM effects')).map((row) => String(row['reference']));
  }

  /** What does not stand together at this moment. Only where effects are rows of the same database. */
  async contradictions(): Promise<string[]> {
    return (await this.query(CONTRADICTIONS)).map((row) => JSON.stringify(row));
  }

  async close(): Promise<void> {
    await this.storage.close?.();
    await this.pool?.end();
  }

  private get journal(): JournalStore {
    return this.storage.journal;
  }

  private async query(text: string): Promise<Record<string, unknown>[]> {
    if (!this.pool) throw new Error('This storage has no tables.');
    return (await this.pool.query<Record<string, unknown>>(text)).rows;
  }
}

function payment(reference: string): Parameters<JournalStore['insert']>[0] {
  return {
    ...KEY,
    reference,
    operation: 'collection.mobile-money',
    amount: '1000.00',
    currency: 'TZS',
    attempt: 1,
    idempotencyKey: `key of ${reference}`,
    intent: 'a-call',
    bodyHash: '1:abc',
    state: 'accepted',
  };
}

/** A few at a time. */
async function each(
  references: readonly string[],
  work: (reference: string) => Promise<unknown>,
): Promise<void> {
  const waiting = references.values();
  const worker = async (): Promise<void> => {
    for (const reference of waiting) await work(reference);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
