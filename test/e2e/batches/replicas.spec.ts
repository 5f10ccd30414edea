import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresBackend, runMigrations } from 'bullmq';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { bullmqEngine, type BullmqEngineOptions } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { buildChildProgram, type ChildProgram } from '../../support/child-program.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { type EventStream, listenTo } from '../../support/event-stream.js';
import { connectRedis } from '../../support/redis.js';
import { startSandbox } from '../../support/sandbox.js';
import { ServerProcess } from '../../support/server-process.js';
import { describeWith, postgresService, redisService, type Service } from '../../support/services.js';

const LINES = 300;
const KILLS = 3;
const BETWEEN_KILLS = 60;
const LEASES_MS = 120_000;

interface Jobs {
  readonly name: string;
  readonly services: readonly Service[];
  /** What a replica is told of it. */
  readonly replica: Readonly<Record<string, string>>;
  open(): Promise<Pick<BullmqEngineOptions, 'connection' | 'backend'>>;
  close(queueName: string): Promise<void>;
}

const inRedis: Jobs = {
  name: 'Redis',
  services: [postgresService, redisService],
  replica: { redis: redisService.url },
  open: () => Promise.resolve({ connection: { url: redisService.url } }),
  close: async (queueName) => {
    const redis = connectRedis();
    const keys = await redis.keys(`bull:${queueName}:*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  },
};

function inPostgres(): Jobs {
  let pool: Pool;
  return {
    name: 'PostgreSQL',
    services: [postgresService],
    replica: {},
    open: async () => {
      pool = new Pool({ connectionString: postgresService.url, options: '-c search_path=bullmq' });
      const client = await pool.connect();
      await runMigrations(client);
      client.release();
      return { connection: pool, backend: createPostgresBackend };
    },
    close: () => pool.end(),
  };
}

describe.each([inRedis, inPostgres()])('a batch on three replicas with jobs in $name', (jobs) => {
  describeWith([...jobs.services], 'and its lines in PostgreSQL', () => {
    tellStory(jobs);
  });
});

function tellStory(jobs: Jobs): void {
  const queueName = `batches-${randomBytes(6).toString('hex')}`;
  let database: PaymentsDatabase;
  let sandbox: PaymentsSandbox;
  let program: ChildProgram;
  let desk: BatchesApp;
  let replicas: ServerProcess[] = [];

  const startReplica = (): Promise<ServerProcess> => {
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    const place = {
      baseUrl,
      apiKey,
      apiSecret,
      database: postgresService.url,
      schema: database.schema,
      options: database.options,
      ...jobs.replica,
      queueName,
    };
    const env = { ...process.env, BATCH_REPLICA: JSON.stringify(place) };
    return ServerProcess.start([process.execPath, program.file], 'works', { env });
  };

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    sandbox = await startSandbox({ startingBalance: '100000000', seed: 7 });
    program = await buildChildProgram('test/support/batch-replica.ts', { startsOften: true });
    const engine = bullmqEngine({ ...(await jobs.open()), queueName, worker: false });
    const storage = postgresStorage({ pool: database.pool, schema: database.schema });
    desk = await startBatchesApp({ sandbox, storage, engine });
    replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    await desk.app.close();
    await jobs.close(queueName);
    await database.close();
    await program.remove();
  });

  /** Kills a replica whenever the emulator has seen some more payouts. */
  const killAlongTheWay = async (payouts: EventStream): Promise<void> => {
    for (let kills = 0; kills < KILLS; kills += 1) {
      for (let seen = 0; seen < BETWEEN_KILLS; seen += 1) await payouts.until('payout');
      await replicas[kills % 3]?.end('SIGKILL');
      // What it was sending belongs to it until its leases end.
      await database.pass(LEASES_MS);
      replicas[kills % 3] = await startReplica();
    }
  };

  it('is paid once, whichever process is killed, with lost answers and refusals', async () => {
    sandbox.next('POST /disbursements/bank').dropAfterProcessing().probability(0.02);
    sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' }).probability(0.02);
    const batch = await approvedBatch(desk.batches, 'salaries', knownLines(sandbox, LINES, '10'));
    const payouts = await listenTo(`${sandbox.url}/_sandbox/v1/events`);
    await batch.start({ by: 'maker' });
    await killAlongTheWay(payouts);
    payouts.close();
    const { state, byState } = await batch.finished();
    expect(state).toBe('ended');
    const sums = Object.values(byState).map(({ lines }) => lines);
    expect(sums.reduce((sum, lines) => sum + lines, 0)).toBe(LINES);

    const paid = sandbox.payouts().map(({ reference }) => reference);
    expect(new Set(paid).size).toBe(paid.length);
    const told = new Map<string, string>();
    for await (const { reference, state: line } of batch.lines()) told.set(reference, line);
    const wrong = [...told].filter(([reference, line]) => {
      const isPaid = paid.includes(reference);
      return line === 'accepted' ? !isPaid : line === 'refused' ? isPaid : line !== 'unknown';
    });
    expect(wrong).toEqual([]);
    expect(paid.filter((reference) => !told.has(reference))).toEqual([]);
  });

  it('sends nothing more once it is cancelled, but for the chunk that each replica works on', async () => {
    await sandbox.reset();
    const batch = await approvedBatch(desk.batches, 'bonuses', knownLines(sandbox, 390, '20'));
    const payouts = await listenTo(`${sandbox.url}/_sandbox/v1/events`);
    await batch.start({ by: 'maker' });
    for (let seen = 0; seen < 20; seen += 1) await payouts.until('payout');
    payouts.close();
    await batch.cancel({ by: 'checker' });
    // Each ends what it has begun.
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
    const sent = sandbox.payouts().length;
    expect(sent).toBeLessThanOrEqual(300);
    replicas = [await startReplica()];
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
    expect(sandbox.payouts()).toHaveLength(sent);
    const { state, byState } = await batch.progress();
    expect(state).toBe('cancelled');
    expect(byState.accepted?.lines).toBe(sent);
    expect(byState.checked?.lines).toBe(390 - sent);
  });
}
