import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type InboxConflict, type JournalStore, type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { insist } from './insist.js';
import { othersGone, RUNNER } from './other-clients.js';
import { type Outcome, outcomeOf, STORAGES, type StorageMode } from './plan.js';
import { postgresSteps, sharedCommits, writeStepsDown } from './postgres-steps.js';
import { redisSteps } from './redis-steps.js';
import { LEASE_MS } from './replica-settings.js';
import { type Server } from './servers.js';
import { type Step } from './steps.js';

const KEY = { account: 'default', environment: 'sandbox', family: 'collection' } as const;
/** Longer ago than an inbox remembers what it handled. */
const FORGOTTEN_DAYS = 40;
/** When each outcome was handled, in Redis. */
const DONE = 'nestjs-payments:{default:sandbox}:inbox:done';

/** References whose entry in the inbox, rows of effects and payment in the journal contradict each other. */
const CONTRADICTIONS = `
  WITH made AS (SELECT reference, outcome, count(*) AS times FROM effects GROUP BY reference, outcome),
    inbox AS (
      SELECT reference, state, replace(event, 'payment.', '') AS outcome FROM payments_inbox WHERE kind = 'outcome'
    ),
    journal AS (SELECT reference, state, record ->> 'outcome' AS outcome FROM payments_journal)
  SELECT 'an effect was made twice' AS problem, reference FROM made WHERE times > 1
  UNION ALL
  SELECT 'handled without an effect', reference FROM inbox LEFT JOIN made USING (reference, outcome)
    WHERE inbox.state = 'done' AND times IS NULL
  UNION ALL
  SELECT 'an effect of what is not handled', reference FROM made JOIN inbox USING (reference, outcome)
    LEFT JOIN journal USING (reference) WHERE inbox.state <> 'done' AND journal.reference IS NULL
  UNION ALL
  SELECT 'an effect that nothing remembers', reference FROM made LEFT JOIN inbox USING (reference)
    LEFT JOIN journal USING (reference) WHERE inbox.reference IS NULL AND journal.reference IS NULL
  UNION ALL
  SELECT 'settled without an effect', reference FROM journal LEFT JOIN made USING (reference, outcome)
    WHERE journal.state = 'settled' AND times IS NULL
  UNION ALL
  SELECT 'an effect that the journal does not know', reference FROM made JOIN journal USING (reference)
    WHERE journal.state <> 'settled'`;

/** One effect. */
export interface Effect {
  readonly reference: string;
  readonly outcome: Outcome;
}

/** The state of a payment in the journal. */
export interface JournalledEnd {
  readonly state: string;
  readonly outcome?: string | undefined;
  readonly settledBy?: string | undefined;
}

/** What the runner itself writes to and reads from the storage under test. */
export class Ledger {
  private constructor(
    private readonly storage: PaymentsStorage,
    private readonly server: Server,
    private readonly pool: Pool | undefined,
    private readonly redis: Redis | undefined,
  ) {}

  static async open(mode: StorageMode, server: Server): Promise<Ledger> {
    const { url } = server;
    if (STORAGES[mode].server === 'redis') {
      const redis = new Redis(url, { connectionName: RUNNER });
      redis.on('error', () => undefined);
      return new Ledger(redisStorage({ client: redis }), server, undefined, redis);
    }
    const pool = new Pool({ connectionString: url, max: 10, application_name: RUNNER });
    pool.on('error', () => undefined);
    await migratePayments(pool);
    // Nothing here keeps a second effect away: it is to be seen.
    const column = 'text COLLATE "C" NOT NULL';
    await pool.query(`CREATE TABLE effects (id serial, reference ${column}, outcome ${column})`);
    await writeStepsDown(pool);
    return new Ledger(postgresStorage({ pool }), server, pool, undefined);
  }

  /** Writes payments down as a merchant does before they are paid. */
  async writeDown(references: readonly string[]): Promise<void> {
    await each(references, (reference) => this.journal.insert(payment(reference), 0));
  }

  /** The state of each payment in the journal; nothing if it is not there. */
  async journalled(references: readonly string[]): Promise<ReadonlyMap<string, JournalledEnd>> {
    const found = new Map<string, JournalledEnd>();
    await each(references, async (reference) => {
      const existing = await this.journal.get({ ...KEY, reference });
      if (existing) found.set(reference, existing.record);
    });
    return found;
  }

  /** What was set aside, by reference. */
  async setAside(): Promise<ReadonlyMap<string, readonly InboxConflict[]>> {
    const found = new Map<string, InboxConflict[]>();
    for (let after: string | undefined; ;) {
      const from = { limit: 1_000, ...(after !== undefined && { after }) };
      const page = await insist(() => this.storage.conflicts.list(KEY, from));
      for (const conflict of page) {
        found.set(conflict.reference, [...(found.get(conflict.reference) ?? []), conflict]);
      }
      after = page.at(-1)?.id;
      if (after === undefined) return found;
    }
  }

  /** Resolves once nothing that a dead replica had asked for is still to be done. */
  async othersGone(): Promise<void> {
    const storage = this.pool ?? this.redis;
    if (storage) await othersGone(storage);
  }

  /** Makes a handled outcome as old as one that the inbox no longer needs to remember. */
  async age(reference: string): Promise<void> {
    if (this.redis) {
      const at = Date.now() - FORGOTTEN_DAYS * 86_400_000;
      await this.redis.zadd(DONE, 'XX', at, `outcome:${JSON.stringify(reference)}`);
      return;
    }
    await this.query(
      `UPDATE payments_inbox SET changed_at = changed_at - make_interval(days => ${FORGOTTEN_DAYS})
       WHERE kind = 'outcome' AND state = 'done' AND reference = $1`,
      [reference],
    );
  }

  /** What the storage itself wrote down of the inbox's entries, in its order. */
  async steps(): Promise<Step[]> {
    if (this.pool) return postgresSteps(this.pool);
    return redisSteps((await this.server.appendOnlyFile?.()) ?? Buffer.alloc(0), LEASE_MS);
  }

  /** How many claims were committed together with another one. */
  async sharedCommits(): Promise<number> {
    return this.pool ? sharedCommits(this.pool, "steps WHERE state = 'running'") : 0;
  }

  /** The effects that were made, in their order. Only if effects are rows of the same database. */
  async effects(): Promise<Effect[]> {
    return (await this.query('SELECT reference, outcome FROM effects ORDER BY id')) as unknown as Effect[];
  }

  /** What contradicts itself at this moment. Only if effects are rows of the same database. */
  async contradictions(): Promise<string[]> {
    return (await this.query(CONTRADICTIONS)).map((row) => JSON.stringify(row));
  }

  async close(): Promise<void> {
    await this.storage.close?.();
    await this.pool?.end();
    this.redis?.disconnect();
  }

  private get journal(): JournalStore {
    return this.storage.journal;
  }

  private async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    if (!this.pool) throw new Error('This storage has no tables.');
    return (await this.pool.query<Record<string, unknown>>(text, [...values])).rows;
  }
}

/** The outcomes among what was set aside. */
export function outcomesOf(conflicts: readonly InboxConflict[] = []): Outcome[] {
  return conflicts.map(({ event }) => outcomeOf(event));
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
    for (const reference of waiting) await insist(() => work(reference));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
