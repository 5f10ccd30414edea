import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import { PaymentsError } from 'nestjs-payments';
import { type BatchJob, inProcess } from 'nestjs-payments/batches';
import { eventually } from '../../../support/eventually.js';
import { hearLeakWarnings } from '../../../support/leak-warnings.js';

const job = (chunk: number, more: Partial<BatchJob> = {}): BatchJob => ({
  kind: 'pay',
  account: 'default',
  environment: 'sandbox',
  batch: 'run',
  load: 'l',
  round: 1,
  chunk,
  ...more,
});

describe('the engine in the process', () => {
  it('runs each job that it has once, in order, also those that came before it started', async () => {
    const engine = inProcess();
    const ran: number[] = [];
    await engine.add([job(1), job(2), job(1)]);
    await engine.start(({ chunk }) => {
      ran.push(chunk);
      return Promise.resolve();
    });
    await engine.add([job(3)]);
    await eventually(() => {
      expect(ran).toEqual([1, 2, 3]);
    });
    await engine.add([job(1)]);
    await eventually(() => {
      expect(ran).toEqual([1, 2, 3, 1]);
    });
    await engine.close();
  });

  it('lets any number of batches wait, and Node warns of no leak', async () => {
    const warnings = hearLeakWarnings();
    const engine = inProcess();
    await engine.start(() => Promise.resolve());
    for (let chunk = 0; chunk < 20; chunk += 1) await engine.add([job(chunk)], 60_000);
    expect(await warnings()).toEqual([]);
    await engine.close();
  });

  it('works on as many chunks at once as it may', async () => {
    const engine = inProcess({ concurrency: 2 });
    let active = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    await engine.start(async () => {
      active += 1;
      most = Math.max(most, active);
      await new Promise<void>((resolve) => ends.push(resolve));
      active -= 1;
    });
    await engine.add([job(1), job(2), job(3)]);
    for (let ended = 0; ended < 3; ended += 1) {
      await eventually(() => {
        expect(ends.length).toBeGreaterThan(ended);
      });
      ends[ended]?.();
    }
    await engine.close();
    expect(most).toBe(2);
  });

  it('tries a job again that failed', async () => {
    const engine = inProcess();
    let tries = 0;
    await engine.start(() => {
      tries += 1;
      return tries < 2 ? Promise.reject(new Error('the storage is away')) : Promise.resolve();
    });
    await engine.add([job(1)]);
    await eventually(() => {
      expect(tries).toBe(2);
    });
    await engine.close();
  });

  it('works on another batch while the chunks of one fail', async () => {
    const engine = inProcess();
    const ran: string[] = [];
    await engine.add([job(1), job(2), job(3, { load: 'other' }), job(4, { load: 'other' })]);
    await engine.start(({ load, chunk }) => {
      ran.push(`${load} ${chunk}`);
      return load === 'l' && ran.length === 1
        ? Promise.reject(new Error('the gateway is away'))
        : Promise.resolve();
    });
    await eventually(() => {
      expect(ran).toEqual(['l 1', 'other 3', 'other 4', 'l 2', 'l 1']);
    });
    await engine.close();
  });

  it.each(['LOOKUP_FAILED', 'CHUNK_OPEN'])(
    'works on the other chunks of a batch while one fails with %s, and tries that one again',
    async (code) => {
      const engine = inProcess();
      const ran: number[] = [];
      await engine.add([job(1), job(2), job(3)]);
      await engine.start(({ chunk }) => {
        ran.push(chunk);
        return ran.length === 1
          ? Promise.reject(new PaymentsError(code, 'It is about lines of the chunk.'))
          : Promise.resolve();
      });
      await new Promise(setImmediate);
      expect(ran).toEqual([1, 2, 3]);
      await eventually(() => {
        expect(ran).toEqual([1, 2, 3, 1]);
      });
      await engine.close();
    },
  );

  it('waits for a batch no longer as soon as one of its chunks succeeds', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
    onTestFinished(() => {
      random.mockRestore();
    });
    const engine = inProcess({ concurrency: 2 });
    const ran: number[] = [];
    const ends: (() => void)[] = [];
    await engine.add([job(1), job(2), job(3)]);
    await engine.start(({ chunk }) => {
      ran.push(chunk);
      if (chunk === 1) return new Promise<void>((resolve) => ends.push(resolve));
      return ran.length === 2 ? Promise.reject(new Error('somebody else has it')) : Promise.resolve();
    });
    await new Promise(setImmediate);
    expect(ran).toEqual([1, 2]);
    ends[0]?.();
    await new Promise(setImmediate);
    expect(ran).toEqual([1, 2, 3, 2]);
    await engine.close();
  });

  it('tries no job again whose batch was purged', async () => {
    const engine = inProcess();
    const ran: number[] = [];
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => {
      warn.mockRestore();
    });
    await engine.add([job(1), job(2)]);
    await engine.start(({ chunk }) => {
      ran.push(chunk);
      return chunk === 1 ? Promise.reject(new PaymentsError('BATCH_NOT_FOUND', 'gone')) : Promise.resolve();
    });
    await eventually(() => {
      expect(ran).toEqual([1, 2]);
    });
    expect(inspect(engine)).toBe('InProcessEngine { 0 jobs }');
    expect(warn.mock.calls).toEqual([['A chunk of the batch "run" is not tried again: PaymentsError: gone']]);
    await engine.close();
  });

  it('keeps the jobs of two environments apart', async () => {
    const engine = inProcess();
    await engine.add([job(1), job(1, { environment: 'production' }), job(1)]);
    expect(inspect(engine)).toBe('InProcessEngine { 2 jobs }');
    await engine.close();
  });

  it('runs a job once after its delay, and none of them after it was closed', async () => {
    const engine = inProcess();
    const ran: number[] = [];
    await engine.start(({ chunk }) => {
      ran.push(chunk);
      return Promise.resolve();
    });
    await engine.add([job(1)], 1);
    await engine.add([job(1)], 2);
    await engine.add([job(2)], 20);
    await engine.add([job(3)], 3_600_000);
    await eventually(() => {
      expect(ran).toEqual([1, 2]);
    });
    await engine.close();
    await engine.add([job(4)]);
    expect(ran).toEqual([1, 2]);
  });

  it('runs what had to wait before the jobs that wait for a worker', async () => {
    const engine = inProcess({ concurrency: 1 });
    const ran: string[] = [];
    let end = (): void => undefined;
    await engine.start(({ kind, chunk }) => {
      ran.push(`${kind} ${chunk}`);
      return chunk === 1 ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve();
    });
    await engine.add([job(1), job(2), job(3)]);
    await engine.add([job(9, { kind: 'wake' })], 1);
    await eventually(() => {
      expect(inspect(engine)).toBe('InProcessEngine { 3 jobs }');
    });
    end();
    await eventually(() => {
      expect(ran).toEqual(['pay 1', 'wake 9', 'pay 2', 'pay 3']);
    });
    await engine.close();
  });

  it('works again when it is started again after its end, and knows no job of before', async () => {
    const engine = inProcess();
    const ran: string[] = [];
    const run =
      (application: string) =>
      ({ chunk }: BatchJob): Promise<void> => {
        ran.push(`${application} ${chunk}`);
        return Promise.resolve();
      };
    await engine.start(run('first'));
    await engine.add([job(1)], 3_600_000);
    await engine.close();
    await engine.add([job(2)]);
    await engine.start(run('second'));
    await engine.add([job(3)]);
    await eventually(() => {
      expect(ran).toEqual(['second 3']);
    });
    await engine.close();
  });

  it.each([0, 101, 1.5])('refuses a concurrency of %s', (concurrency) => {
    expect(() => inProcess({ concurrency })).toThrow(
      'inProcess option `concurrency` must be a whole number from 1 to 100',
    );
  });

  it.each([
    [
      'a name that it does not know',
      { concurency: 5 },
      '`concurency` does not exist: did you mean `concurrency`?',
    ],
    ['a name like none that it knows', { lanes: 5 }, '`lanes` does not exist: write concurrency.'],
    ['no object', 5, '`options` must be an object'],
  ])('refuses %s as options', (_what, options, problem) => {
    expect(() => inProcess(options as object)).toThrow(problem);
  });

  it('shows no job when it is printed', async () => {
    const engine = inProcess();
    await engine.add([job(1, { batch: 'secret' })]);
    expect(inspect(engine)).toBe('InProcessEngine { 1 jobs }');
    await engine.close();
  });
});
