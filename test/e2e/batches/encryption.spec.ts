import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { aesGcm } from 'nestjs-payments';
import { type PayoutBatchLine, type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { eventually } from '../../support/eventually.js';
import { SEALED_PROBLEM } from '../../support/stored-record.js';
import { type BatchesPlace, startBatchesPlace } from '../../support/batches-place.js';

const KEYS = { old: randomBytes(32), now: randomBytes(32) };

describe('the lines of an account whose key changes', () => {
  let place: BatchesPlace;
  let running: BatchesApp | undefined;

  beforeAll(async () => {
    place = await startBatchesPlace();
  });
  afterAll(async () => {
    await running?.app.close();
    await place.close();
  });

  /** The next process, with another encryption. */
  const restart = async (encryption?: ReturnType<typeof aesGcm>): Promise<BatchesApp> => {
    await running?.app.close();
    running = await startBatchesApp({
      sandbox: place.sandbox,
      storage: place.storage,
      options: encryption ? { encryption } : {},
    });
    return running;
  };
  const pay = async ({ batches }: BatchesApp, name: string, lines: readonly PayoutLine[]): Promise<void> => {
    const batch = await approvedBatch(batches, name, lines);
    await batch.start({ by: 'maker' });
    expect((await batch.finished()).byState).toMatchObject({ accepted: { lines: lines.length } });
  };
  const stored = async (): Promise<string> => {
    const { rows } = await place.database.pool.query('SELECT * FROM payments_batch_lines');
    return JSON.stringify(rows);
  };

  it('are sealed with the new key by the same call as payments, and their recipients are still known', async () => {
    const plain = knownLines(place.sandbox, 2, '50');
    const sealed = plain.map((line) => ({ ...line, key: `sealed-${line.key}`, amount: '60' }));
    await pay(await restart(), 'plain', plain);
    await pay(await restart(aesGcm({ keys: { old: KEYS.old }, current: 'old' })), 'old', sealed);
    const { journal } = await restart(aesGcm({ keys: KEYS, current: 'now' }));
    // Two batches with two lines, and their payments.
    expect(await journal.reseal()).toMatchObject({ resealed: 8, busy: 0, unreadable: 0, unavailable: 0 });
    expect(await journal.reseal()).toMatchObject({ resealed: 0, current: 8 });
    expect(await stored()).not.toMatch(/Asha|Mushi|0150000000999|sealed:1:old/);

    const { batches } = await restart(
      aesGcm({ keys: { now: KEYS.now }, current: 'now', requireSealed: true }),
    );
    const names: string[] = [];
    for (const name of ['plain', 'old']) {
      const lines: PayoutBatchLine[] = [];
      for await (const line of (await batches.open(name)).lines()) lines.push(line);
      names.push(...lines.map((line) => `${line.name} ${line.state}`));
    }
    expect(names).toEqual([...plain, ...sealed].map(({ name }) => `${name} accepted`));
    const copies = [...plain, ...sealed].map((line) => ({ ...line, key: `again-${line.key}` }));
    const again = await batches.create('again', copies, { by: 'maker' });
    expect((await again.check({ by: 'maker' })).blocked).toBe(4);
  });

  /** All SHA-256 hashes of a batch in the database. */
  const hashesOf = async (name: string): Promise<readonly string[]> => {
    const parts = ['batches', 'batch_lines', 'batch_chunks'].map(
      (table) => `
      SELECT to_jsonb(t)::text AS text FROM payments_${table} t WHERE batch_load =
        (SELECT batch_load FROM payments_batches WHERE name = '${name}')`,
    );
    const events = `SELECT to_jsonb(t)::text AS text FROM payments_batch_events t WHERE name = '${name}'`;
    const { rows } = await place.database.pool.query<{ text: string }>(
      [...parts, events].join(' UNION ALL '),
    );
    return rows.flatMap(({ text }) => text.match(/[\da-f]{64}/g) ?? []);
  };

  it('leave no hash that somebody could guess, and the same lines are found under every key', async () => {
    const [first, second] = knownLines(place.sandbox, 2, '70') as [PayoutLine, PayoutLine];
    const lines = [first, { ...second, name: 'Somebody Else' }];
    const load = async ({ batches }: BatchesApp, name: string, again: readonly string[]): Promise<void> => {
      const batch = await batches.create(name, lines, { by: 'maker', again });
      await batch.check({ by: 'maker' });
      await batch.accept(['S-2'], { by: 'maker', because: 'a passport' });
      await batch.approve({ by: 'checker', digest: batch.digest });
    };
    await load(await restart(), 'same-1', []);
    const old = aesGcm({ keys: { old: KEYS.old }, current: 'old', requireSealed: true });
    await load(await restart(old), 'same-2', ['same-1']);
    const both = aesGcm({ keys: KEYS, current: 'now' });
    await load(await restart(both), 'same-3', ['same-1', 'same-2']);
    const { batches } = await restart(both);
    await expect(batches.create('same-4', lines, { by: 'maker' })).rejects.toMatchObject({
      code: 'BATCH_SAME_LINES',
      message: expect.stringContaining('"same-3", "same-2", "same-1"') as string,
    });

    const [plain, sealed] = [await hashesOf('same-1'), await hashesOf('same-2')];
    // Of the chunk, the batch, two recipients, the word, the approval, and in the audit trail.
    expect(new Set(plain).size).toBeGreaterThanOrEqual(6);
    expect(sealed).toHaveLength(plain.length);
    expect(sealed.filter((hash) => plain.includes(hash))).toEqual([]);
  });

  it('are not taken for changed ones by a process without the option, and wait for one that has it', async () => {
    const lines = knownLines(place.sandbox, 2, '90');
    const encryption = aesGcm({ keys: { now: KEYS.now }, current: 'now' });
    const { batches } = await restart(encryption);
    const name = (await approvedBatch(batches, 'sealed', lines)).name;
    const sent = place.sandbox.payouts().length;

    const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const plain = await (await restart()).batches.open(name);
    await expect(plain.lines()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: `The line 1 of a batch cannot be read: ${SEALED_PROBLEM}.`,
    });
    await plain.start({ by: 'maker' });
    await eventually(() => {
      expect(warned.mock.calls.flat().join()).toContain(SEALED_PROBLEM);
    });
    expect((await plain.progress()).state).toBe('running');
    expect(place.sandbox.payouts()).toHaveLength(sent);
    warned.mockRestore();

    const resumed = await (await restart(encryption)).batches.open(name);
    expect(await resumed.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 2 } } });
  });

  it('are paid after the change as long as the key of the approved batch is there', async () => {
    const lines = knownLines(place.sandbox, 1, '80');
    const app = await restart(aesGcm({ keys: { old: KEYS.old }, current: 'old' }));
    for (const name of ['first', 'second']) {
      const batch = await app.batches.create(name, lines, { by: 'maker', again: ['first'] });
      await batch.check({ by: 'maker' });
      await batch.approve({ by: 'checker' });
    }
    const both = await restart(aesGcm({ keys: KEYS, current: 'now' }));
    const batch = await both.batches.open('first');
    await batch.start({ by: 'maker' });
    expect(await batch.finished()).toMatchObject({ state: 'ended', byState: { accepted: { lines: 1 } } });
    await both.journal.reseal();

    const { batches } = await restart(aesGcm({ keys: { now: KEYS.now }, current: 'now' }));
    const late = await batches.open('second');
    await late.start({ by: 'maker' });
    expect(await late.finished()).toMatchObject({
      state: 'paused',
      pauseReason:
        'Lines of the chunk 1 were changed after they were loaded, or the option encryption does not have the key of that time.',
    });
  });
});
