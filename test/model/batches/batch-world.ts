import { type INestApplicationContext } from '@nestjs/common';
import { type PaymentsStorage } from 'nestjs-payments';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startBatchesApp } from '../../support/batches-app.js';
import { openAnyPostgres } from '../../support/any-postgres.js';
import { type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';
import { type PayoutRequest } from '../../kill/batches/check-batch.js';
import { type Fate } from './batch-plan.js';
import { DrivenEngine, JobQueue } from './driven-engine.js';
import { MortalStorage } from './mortal-storage.js';

export type BatchStore = NonNullable<PaymentsStorage['batches']>;

const PAYOUT = 'POST /disbursements/bank';
export const AMOUNT = '10';

/** An application that pays batches, until it dies. */
export interface BatchProcess {
  readonly app: INestApplicationContext;
  readonly engine: DrivenEngine;
  readonly mortal: MortalStorage;
  /** Opens the batch of the story as this process sees it. */
  open(): Promise<PayoutBatch>;
  create(lines: readonly PayoutLine[]): Promise<PayoutBatch>;
}

/** What outlives the processes: database, queue and gateway. */
export class BatchWorld {
  readonly queue = new JobQueue();
  /** In the order in which the gateway received them. */
  requests: PayoutRequest[] = [];
  batch = '';
  private stories = 0;
  private now = Date.parse('2026-11-25T08:00:00Z');

  private constructor(
    readonly sandbox: PaymentsSandbox,
    private readonly database: PaymentsDatabase,
  ) {
    sandbox.on('exchange', ({ request: { method, path, reference, headers, status } }) => {
      if (method !== 'POST' || reference === null || !path.includes('/disbursements/')) return;
      this.requests.push({ reference, key: headers['idempotency-key'] ?? '', status });
    });
  }

  static async open(): Promise<BatchWorld> {
    const database = await openAnyPostgres();
    const sandbox = await startSandbox({ startingBalance: '1000000' });
    return new BatchWorld(sandbox, database);
  }

  /** The storage as nobody can kill it. */
  get store(): BatchStore {
    const { batches } = this.storage();
    if (!batches) throw new Error('This storage keeps no batches.');
    return batches;
  }

  /** A new story, with other lines than any before. */
  async begin(fates: readonly Fate[]): Promise<readonly PayoutLine[]> {
    await this.sandbox.reset();
    await this.database.clear();
    this.stories += 1;
    this.batch = `story-${this.stories}`;
    this.queue.clear();
    this.requests = [];
    return fates.map((fate, index) => this.line(fate, index));
  }

  get paid(): readonly string[] {
    return this.sandbox.payouts().map(({ reference }) => reference);
  }

  async startProcess(): Promise<BatchProcess> {
    const engine = new DrivenEngine(this.queue);
    const mortal = new MortalStorage(this.storage());
    const { app, batches } = await startBatchesApp({
      sandbox: this.sandbox,
      storage: mortal.storage,
      engine,
      policy: {
        stopAfterUnknown: 2,
        stopAfterRefused: 2,
        sameRecipientWithinDays: 0,
        resumeAfterTopUp: true,
      },
      options: { retry: { maxAttempts: 1 } },
      now: () => this.now,
    });
    const { batch } = this;
    return {
      app,
      engine,
      mortal,
      open: () => batches.open(batch),
      create: (lines) => batches.create(batch, lines, { by: 'maker' }),
    };
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    await this.database.pass(ms);
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private storage(): ReturnType<typeof postgresStorage> {
    return postgresStorage({ pool: this.database.pool, schema: this.database.schema });
  }

  private line(fate: Fate, index: number): PayoutLine {
    const number = this.stories * 100 + index;
    const account_number = `015${String(number).padStart(7, '0')}999`;
    const [key, name] = [`S-${index + 1}`, 'Asha Neema Mushi'];
    const isOther = fate === 'goes to somebody with another name';
    this.sandbox.directory.register(account_number, isOther ? 'Juma Hamisi Bakari' : name);
    const call = this.sandbox.next(PAYOUT, { reference: `${this.batch}.${key}` });
    if (fate === 'is taken, and the answer is lost once') call.dropAfterProcessing();
    if (fate === 'is refused once') call.status(422, { code: 'INVALID_ACCOUNT' });
    if (fate === 'finds the wallet empty once') call.status(400, { code: 'INSUFFICIENT_BALANCE' });
    if (fate === 'meets an error of the gateway once') call.status(503);
    return { key, name, amount: AMOUNT, bank_code: 'BSB', account_number };
  }
}
