import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PayoutLine } from 'nestjs-payments/batches';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { type BatchesPlace, startBatchesPlace, withBatches } from '../../support/batches-place.js';

describe('the same lines under two names at the same moment', () => {
  let place: BatchesPlace;
  let running: BatchesApp;
  let lines: readonly PayoutLine[];
  /** What happens after a load has looked for batches with its lines, and before it continues. */
  let afterLook: (batch: string) => Promise<unknown>;

  beforeAll(async () => {
    place = await startBatchesPlace();
    const { store } = place;
    const storage = withBatches(place.storage, () => ({
      withDigest: async (key, digest, limit) => {
        const names = await store.withDigest(key, digest, limit);
        await afterLook(key.batch);
        return names;
      },
    }));
    running = await startBatchesApp({ sandbox: place.sandbox, storage });
    lines = knownLines(place.sandbox, 2, '10');
  });
  beforeEach(async () => {
    await place.database.clear();
    afterLook = () => Promise.resolve();
  });
  afterAll(async () => {
    await running.app.close();
    await place.close();
  });

  const load = (name: string, again: readonly string[] = []): Promise<string> =>
    running.batches.create(name, lines, { by: 'maker', again }).then(
      () => 'loaded',
      (error: unknown) => String((error as { readonly code: unknown }).code),
    );
  const names = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { name } of running.batches.list()) found.push(name);
    return found;
  };
  const storedLines = async (): Promise<number> => {
    const { rows } = await place.database.pool.query('SELECT 1 FROM payments_batch_lines');
    return rows.length;
  };

  it('are not loaded twice, if both looked before either was written', async () => {
    let looks = 0;
    let bothLooked = (): void => undefined;
    const both = new Promise<void>((resolve) => (bothLooked = resolve));
    afterLook = () => {
      looks += 1;
      if (looks === 2) bothLooked();
      return both;
    };
    const ends = await Promise.all([load('2026-11'), load('2026-11-final')]);
    expect(ends).toContain('BATCH_SAME_LINES');
    const loaded = ends.filter((end) => end === 'loaded').length;
    expect(await names()).toHaveLength(loaded);
    expect(await storedLines()).toBe(2 * loaded);
  });

  it('are refused to the slower one, although it began first', async () => {
    let other = '';
    afterLook = async (batch) => {
      if (batch === '2026-11' && other === '') other = await load('2026-11-final');
    };
    expect([await load('2026-11'), other]).toEqual(['BATCH_SAME_LINES', 'loaded']);
    expect(await names()).toEqual(['2026-11-final']);
    expect(await storedLines()).toBe(2);
  });

  it('are loaded twice on purpose', async () => {
    expect([await load('2026-11'), await load('bonus', ['2026-11'])]).toEqual(['loaded', 'loaded']);
    expect(await storedLines()).toBe(4);
  });
});
