import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { type PayoutBatch, type PayoutLine } from 'nestjs-payments/batches';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { openAnyPostgres } from '../../support/any-postgres.js';
import { type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';

const DAY_MS = 86_400_000;

describe('a batch of payouts', () => {
  let database: PaymentsDatabase;
  let storage: PaymentsStorage;
  let sandbox: PaymentsSandbox;
  let running: BatchesApp;
  let names = 0;
  const name = (): string => `run-${names}`;

  beforeAll(async () => {
    database = await openAnyPostgres();
    storage = postgresStorage({ pool: database.pool, schema: database.schema });
    sandbox = await startSandbox({ startingBalance: '100000000' });
    running = await startBatchesApp({ sandbox, storage, policy: { sameRecipientWithinDays: 0 } });
  });
  beforeEach(() => {
    names += 1;
  });
  afterEach(() => sandbox.reset());
  afterAll(async () => {
    await running.app.close();
    await database.close();
  });

  it('is loaded, checked, approved by another person and paid, every line once', async () => {
    const lines = knownLines(sandbox, 230);
    const batch = await running.batches.create(name(), lines, { by: 'maker' });
    const report = await batch.check({ by: 'maker' });
    expect(report).toMatchObject({ lines: 230, amount: '230000.00', blocked: 0, blockedLines: [] });
    await batch.approve({ by: 'checker' });
    await batch.start({ by: 'maker' });
    const progress = await batch.finished();
    expect(progress).toMatchObject({
      state: 'ended',
      total: { lines: 230, amount: '230000.00' },
      byState: { accepted: { lines: 230, amount: '230000.00' } },
    });
    const references = sandbox.payouts().map(({ reference }) => reference);
    expect(references.sort()).toEqual(lines.map(({ key }) => `${name()}.${key}`).sort());
  });

  it('shows who did what', async () => {
    const batch = await approvedBatch(running.batches, name(), knownLines(sandbox, 1));
    await batch.start({ by: 'maker' });
    await batch.finished();
    const trail = [];
    for await (const { number, action, by } of batch.audit()) trail.push([number, action, by]);
    expect(trail).toEqual([
      [1, 'create', 'maker'],
      [2, 'load', 'maker'],
      [3, 'check', 'maker'],
      [4, 'check-end', 'payout-batches'],
      [5, 'approve', 'checker'],
      [6, 'start', 'maker'],
      [7, 'end', 'payout-batches'],
    ]);
  });

  it('blocks a line whose holder has another name, until somebody accepts it', async () => {
    const [first, second] = knownLines(sandbox, 2) as [PayoutLine, PayoutLine];
    const batch = await running.batches.create(name(), [first, { ...second, name: 'Juma Bakari' }], {
      by: 'maker',
    });
    const report = await batch.check({ by: 'maker' });
    expect(report.blockedLines).toMatchObject([{ key: 'S-2', problems: ['name'], match: 'different' }]);
    await expect(batch.approve({ by: 'checker' })).rejects.toMatchObject({ code: 'BATCH_BLOCKED' });
    expect(await batch.accept(['S-2'], { by: 'checker', because: 'seen the passport' })).toBe(1);
    await batch.approve({ by: 'checker' });
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toEqual({ accepted: { lines: 2, amount: '2000.00' } });
  });

  it('lists every bad line at once, and loads nothing', async () => {
    const [first] = knownLines(sandbox, 1) as [PayoutLine];
    const bad = [first, { ...first, amount: '1,000', key: 'S-2' }, { ...first }, { ...first, key: 'a b' }];
    await expect(running.batches.create(name(), bad, { by: 'maker' })).rejects.toMatchObject({
      errors: {
        'line 2': [expect.any(String)],
        'line 3': [expect.any(String)],
        'line 4': [expect.any(String)],
      },
    });
    await expect(running.batches.open(name())).rejects.toMatchObject({ code: 'BATCH_NOT_FOUND' });
  });

  it('is found by its name, and its lines by their keys, and by nothing else', async () => {
    const lines = knownLines(sandbox, 1, '44').map((line) => ({ ...line, key: '7' }));
    const batch = await running.batches.create('42', lines, { by: 'maker' });
    for (const wrong of [undefined, null, 42, '', {}, 'S-1'] as readonly string[])
      await expect(running.batches.open(wrong)).rejects.toMatchObject({
        code: 'BATCH_NOT_FOUND',
        message: expect.stringContaining(`There is no batch "${wrong}" of this account`) as unknown,
      });
    for (const wrong of [undefined, null, 7, '', {}, 'S-1'] as readonly string[])
      await expect(batch.settle(wrong, 'paid', { by: 'support' })).rejects.toMatchObject({
        code: 'LINE_NOT_FOUND',
        message: `The batch "42" has no line "${wrong}".`,
      });
    for (const wrong of [undefined, null, 7, '7', {}, [undefined], [7]] as unknown as readonly string[][])
      await expect(batch.accept(wrong, { by: 'support', because: 'I know them' })).rejects.toMatchObject({
        errors: { keys: ["keys must be a list of texts: write for example ['S-1']"] },
      });
  });

  it('is forgotten by the purge, and paid once even if it is created again under the same name', async () => {
    const lines = knownLines(sandbox, 2, '43');
    const pay = async (): Promise<PayoutBatch> => {
      const batch = await approvedBatch(running.batches, name(), lines);
      await batch.start({ by: 'maker' });
      await batch.finished();
      return batch;
    };
    await pay();
    await expect(running.batches.purge({ olderThanMs: 0 })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const stored = async (): Promise<number> => {
      const { rows } = await database.pool.query('SELECT 1 FROM payments_batch_lines');
      return rows.length;
    };
    const before = await stored();
    expect(await running.batches.purge({ olderThanMs: DAY_MS })).toBe(0);
    expect(await stored()).toBe(before);
    await database.pass(2 * DAY_MS);
    expect(await running.batches.purge({ olderThanMs: DAY_MS })).toBeGreaterThan(0);
    await expect(running.batches.open(name())).rejects.toMatchObject({ code: 'BATCH_NOT_FOUND' });
    expect(await stored()).toBeLessThanOrEqual(before - lines.length);
    expect((await (await pay()).progress()).byState).toMatchObject({ accepted: { lines: 2 } });
    expect(sandbox.payouts()).toHaveLength(2);
  });

  it('keeps its lines if they are loaded and only the answer to that is lost', async () => {
    const { batches } = storage;
    if (!batches) throw new Error('PostgreSQL keeps batches.');
    const lossy = Object.create(batches) as typeof batches;
    lossy.replace = async (...args) => {
      await batches.replace(...args);
      throw new Error('The answer is lost.');
    };
    const app = await startBatchesApp({ sandbox, storage: { ...storage, batches: lossy } });
    const lines = knownLines(sandbox, 2, '41');
    await expect(app.batches.create(name(), lines, { by: 'maker' })).rejects.toThrow('The answer is lost.');
    await app.app.close();
    const batch = await running.batches.open(name());
    expect(await batch.progress()).toMatchObject({ state: 'loaded', byState: { waiting: { lines: 2 } } });
  });
});
