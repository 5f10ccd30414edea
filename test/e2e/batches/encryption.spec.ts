import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { aesGcm } from 'nestjs-payments';
import { type PayoutBatchLine, type PayoutLine } from 'nestjs-payments/batches';
import { approvedBatch, type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
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
});
