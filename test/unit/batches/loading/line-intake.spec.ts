import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PaymentsValidationError } from 'nestjs-payments';
import { LineIntake, type LoadedLines } from '../../../../lib/batches/loading/line-intake.js';
import { type BatchAccount } from '../../../../lib/batches/batch/batch-accounts.js';
import { type BatchStore } from '../../../../lib/storage/batch-store.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
/** Without encryption. */
const storedHashes: BatchAccount['storedHashes'] = (hash) => [hash];
const LINE = { name: 'Asha Mushi', amount: '1000', phone: '0712 345 678' };

function take(lines: Iterable<unknown>, added: string[] = []): Promise<LoadedLines> {
  const addChunk: BatchStore['addChunk'] = (_load, _chunk, chunk) => {
    const used = chunk.map(({ key }) => key).filter((key) => added.includes(key));
    if (used.length === 0) added.push(...chunk.map(({ key }) => key));
    return Promise.resolve(used);
  };
  return new LineIntake({ scope: SCOPE, storedHashes, store: { addChunk } as BatchStore }, 'load').takeAll(
    lines,
  );
}

/** What is wrong with lines, by their place. */
async function problemsOf(lines: Iterable<unknown>): Promise<Readonly<Record<string, readonly string[]>>> {
  const error: unknown = await take(lines).catch((thrown: unknown) => thrown);
  if (error instanceof PaymentsValidationError) return error.errors;
  throw new Error('The lines were taken.');
}

function* lines(count: number, change: (number: number) => object = () => ({})): Generator {
  for (let number = 1; number <= count; number += 1) yield { ...LINE, key: `S-${number}`, ...change(number) };
}

describe('the lines of a batch that is loaded', () => {
  it('must be one at least', async () => {
    expect(await problemsOf([])).toEqual({ lines: ['there are no lines: a batch needs one at least'] });
  });

  it('have no key twice, however far the two are apart', async () => {
    const twice = (number: number): object => (number === 2 || number === 250 ? { key: 'S-1' } : {});
    expect(await problemsOf(lines(300, twice))).toEqual({
      'line 2': ['line 2: it has the key of line 1'],
      'line 250': ['line 250: it has the key of an earlier line'],
    });
  });

  it('are refused whose key was missing where they were made', async () => {
    const keyed = (number: number): object => ({ key: ['S-1', 'undefined', 'S-NaN'][number - 1] });
    expect(await problemsOf(lines(3, keyed))).toEqual({
      'line 2': ['line 2: key is the text "undefined": the id was missing where it was made'],
      'line 3': ['line 3: key holds the text "NaN": the id was missing where it was made'],
    });
  });

  it('are all told what is wrong with them, also if two files have the same numbers', async () => {
    const numbered = (number: number): object => ({ line: 7, amount: number === 2 ? '1,000' : '0' });
    const { 'line 7': both } = await problemsOf(lines(2, numbered));
    expect(both).toHaveLength(2);
  });

  it('are counted if more than a thousand are bad', async () => {
    const problems = await problemsOf(lines(1_003, () => ({ amount: '' })));
    expect(Object.keys(problems)).toHaveLength(1_001);
    expect(problems['more']).toEqual(['and 3 more lines']);
  });

  it('add up to no more than a database holds', async () => {
    const amount = '9999999999999';
    expect((await take(lines(9_000, () => ({ amount })))).lines).toBe(9_000);
    expect(await problemsOf(lines(9_001, () => ({ amount })))).toEqual({
      lines: ['the sum of the lines is too large for a batch'],
    });
  });

  it('are read while the chunk before is written, and no two chunks are written at once', async () => {
    const chunks = new HeldChunks();
    let read = 0;
    const counted = (number: number): object => {
      read = number;
      return {};
    };
    const taken = chunks.take(lines(300, counted));
    await chunks.begun(1);
    await new Promise(setImmediate);
    expect([read, chunks.waiting]).toEqual([200, 1]);
    chunks.end();
    await chunks.begun(2);
    await new Promise(setImmediate);
    expect([read, chunks.waiting]).toEqual([300, 1]);
    chunks.end();
    await chunks.begun(3);
    chunks.end();
    expect((await taken).lines).toBe(300);
  });

  it('are not given up before the chunk that is being written has ended', async () => {
    const chunks = new HeldChunks();
    let isOver = false;
    const fails = (number: number): object => {
      if (number === 150) throw new Error('the file ends in the middle');
      return {};
    };
    const taken = chunks.take(lines(300, fails)).finally(() => (isOver = true));
    const failed = expect(taken).rejects.toThrow('the file ends in the middle');
    await chunks.begun(1);
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    chunks.end();
    await failed;
  });

  it('end with the error of the storage, whichever chunk it was', async () => {
    const addChunk: BatchStore['addChunk'] = (_load, { chunk }) =>
      chunk === 3 ? Promise.reject(new Error('the disk is full')) : Promise.resolve([]);
    for (const count of [300, 350, 900]) {
      const intake = new LineIntake(
        { scope: SCOPE, storedHashes, store: { addChunk } as BatchStore },
        'load',
      );
      await expect(intake.takeAll(lines(count))).rejects.toThrow('the disk is full');
    }
  });
});

/** A store that writes a chunk when it is told to. */
class HeldChunks {
  waiting = 0;
  private count = 0;
  private readonly news = new EventEmitter();

  take(given: Iterable<unknown>): Promise<LoadedLines> {
    const addChunk: BatchStore['addChunk'] = async () => {
      this.waiting += 1;
      this.count += 1;
      const ended = once(this.news, 'end');
      this.news.emit('begun');
      await ended;
      this.waiting -= 1;
      return [];
    };
    return new LineIntake({ scope: SCOPE, storedHashes, store: { addChunk } as BatchStore }, 'load').takeAll(
      given,
    );
  }

  async begun(count: number): Promise<void> {
    while (this.count < count) await once(this.news, 'begun');
  }

  end(): void {
    this.news.emit('end');
  }
}
