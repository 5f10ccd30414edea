import { describe, expect, it, vi } from 'vitest';
import { type BatchLine, type BatchStore } from '../../../../lib/storage/batch-store.js';
import { plainBatches } from '../../../../lib/storage/sealed/sealed-batches.js';
import { SEALED, SEALED_PROBLEM } from '../../../support/stored-record.js';

const LINE = { number: 7, key: 'S-7', content: '{"name":"Asha"}', result: '{}' } as unknown as BatchLine;

describe('the lines of an account without an encryption', () => {
  const storeOf = (line: BatchLine): BatchStore =>
    ({
      lines: () => Promise.resolve([line]),
      linesOf: () => Promise.resolve([line]),
      line: (_load: string, key: string) => Promise.resolve(key === line.key ? line : undefined),
    }) as unknown as BatchStore;
  const READS: readonly (readonly [string, (store: BatchStore) => Promise<unknown>])[] = [
    ['lines', (store) => store.lines('load', { after: 0, limit: 1 })],
    ['linesOf', (store) => store.linesOf('load', 1)],
    ['line', async (store) => [await store.line('load', 'S-7')]],
  ];

  it.each(READS)('are read as they are: %s', async (_name, read) => {
    expect(await read(plainBatches(storeOf(LINE)))).toEqual([LINE]);
  });

  it.each(READS)(
    'are refused if another process has sealed one, or what its check found: %s',
    async (_name, read) => {
      for (const field of ['content', 'result']) {
        await expect(read(plainBatches(storeOf({ ...LINE, [field]: SEALED })))).rejects.toMatchObject({
          name: 'PaymentsStorageError',
          retryable: true,
          message: `The line 7 of a batch cannot be read: ${SEALED_PROBLEM}.`,
        });
      }
    },
  );

  it('are written as they are, and none is made up', async () => {
    const written = { addChunk: vi.fn(), change: vi.fn() };
    const store = plainBatches({ ...storeOf(LINE), ...written });
    await store.addChunk('load', { chunk: 1, digest: 'a' }, [LINE]);
    await store.change('load', [{ number: 7, from: ['waiting'], to: 'checked' } as never]);
    expect(written.addChunk.mock.calls).toEqual([['load', { chunk: 1, digest: 'a' }, [LINE]]]);
    expect(written.change.mock.calls).toEqual([['load', [{ number: 7, from: ['waiting'], to: 'checked' }]]]);
    expect(await store.line('load', 'another')).toBeUndefined();
  });
});
