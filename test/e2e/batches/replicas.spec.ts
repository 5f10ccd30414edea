import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { type PayoutBatch } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { buildChildProgram, type ChildProgram } from '../../support/child-program.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { connectRedis } from '../../support/redis.js';
import { startSandbox } from '../../support/sandbox.js';
import { ServerProcess } from '../../support/server-process.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';

const LINES = 300;
const KILLS = 3;

describeWith([postgresService, redisService], 'a batch on three replicas', () => {
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
      redis: redisService.url,
      queueName,
    };
    const env = { ...process.env, BATCH_REPLICA: JSON.stringify(place) };
    return ServerProcess.start([process.execPath, program.file], 'works', { env });
  };

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    sandbox = await startSandbox({ startingBalance: '100000000', seed: 7 });
    program = await buildChildProgram('test/support/batch-replica.ts', { startsOften: true });
    const engine = bullmqEngine({ connection: { url: redisService.url }, queueName, worker: false });
    const storage = postgresStorage({ pool: database.pool, schema: database.schema });
    desk = await startBatchesApp({ sandbox, storage, engine });
    replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    await desk.app.close();
    const redis = connectRedis();
    const keys = await redis.keys(`bull:${queueName}:*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
    await database.close();
    await program.remove();
  });

  /** Kills a replica whenever some more lines were sent. */
  const killAlongTheWay = async (batch: PayoutBatch): Promise<number> => {
    let kills = 0;
    for await (const { state } of batch.watch()) {
      if (state !== 'running') break;
      if (kills >= KILLS || sandbox.payouts().length < ((kills + 1) * LINES) / (KILLS + 2)) continue;
      await replicas[kills % 3]?.end('SIGKILL');
      replicas[kills % 3] = await startReplica();
      kills += 1;
    }
    return kills;
  };

  it('is paid once, whoever is killed, with lost answers and refusals', async () => {
    sandbox.next('POST /disbursements/bank').dropAfterProcessing().probability(0.02);
    sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' }).probability(0.02);
    const batch = await approvedBatch(desk.batches, 'salaries', knownLines(sandbox, LINES, '10'));
    await batch.start({ by: 'maker' });
    expect(await killAlongTheWay(batch)).toBeGreaterThan(0);
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
});
