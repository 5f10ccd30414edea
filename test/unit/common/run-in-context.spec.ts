import { afterEach, describe, expect, it } from 'vitest';
import { Logger } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type ContextRunner, runWithin } from '../../../lib/common/run-in-context.js';
import { keepLogLines } from '../../support/diagnostics-log.js';

describe('work that runs in contexts of listeners', () => {
  let begun = 0;
  const work = (): Promise<string> => {
    begun += 1;
    return Promise.resolve('done');
  };

  afterEach(() => {
    begun = 0;
    Logger.overrideLogger(false);
  });

  it('runs inside all of them, the first one outermost', async () => {
    const store = new AsyncLocalStorage<string>();
    const inside =
      (name: string): ContextRunner =>
      (run) => {
        store.run(`${store.getStore() ?? ''}${name}`, run);
      };
    const seen = await runWithin([inside('a'), inside('b')], async () => {
      await new Promise(setImmediate);
      return store.getStore();
    });
    expect(seen).toBe('ab');
  });

  it('runs without listeners', async () => {
    expect(await runWithin([], work)).toBe('done');
    expect(begun).toBe(1);
  });

  it.each<[string, ContextRunner]>([
    ['forgets to run it', () => undefined],
    [
      'runs it twice',
      (run) => {
        run();
        run();
      },
    ],
    ['runs it when it is over', (run) => void setImmediate(run)],
    [
      'throws before it ran',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'rejects after it ran, as an async function',
      async (run) => {
        run();
        await Promise.reject(new Error('broken'));
      },
    ],
    [
      'throws after it ran',
      (run) => {
        run();
        throw new Error('broken');
      },
    ],
  ])('runs exactly once if a listener %s', async (_, around) => {
    keepLogLines();
    expect(await runWithin([around, around], work)).toBe('done');
    await new Promise(setImmediate);
    expect(begun).toBe(1);
  });

  it('runs even if the logger fails too', async () => {
    const broken = (): never => {
      throw new Error('disk full');
    };
    Logger.overrideLogger({ log: broken, error: broken, warn: broken });
    expect(await runWithin([broken], work)).toBe('done');
    expect(begun).toBe(1);
  });

  it('says in the log what a listener threw', async () => {
    const lines = keepLogLines();
    const broken = (): never => {
      throw new Error('broken around');
    };
    await runWithin([broken], work);
    expect(lines).toEqual([
      expect.stringMatching(
        /A listener could not run what begins in its context: Error: broken around\n +at /,
      ),
    ]);
    const odd = (): never => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw 'broken around';
    };
    await runWithin([odd], work);
    expect(lines.at(-1)).toContain(
      'A listener could not run what begins in its context: no Error was thrown',
    );
    expect(lines.filter((line) => line.includes('broken around'))).toHaveLength(1);
  });

  it('fails as it would without them, even if it throws at once', async () => {
    const lines = keepLogLines();
    const failing = (): never => {
      throw new Error('the work failed');
    };
    const plain: ContextRunner = (run) => {
      run();
    };
    await expect(runWithin([plain], failing)).rejects.toThrow('the work failed');
    expect(lines).toEqual([]);
  });
});
