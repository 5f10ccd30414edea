import { expect, it } from 'vitest';
import { type BatchEngine, type BatchJob } from '../../../../lib/batches/engine/batch-engine.js';
import { onlyJobs } from '../../../../lib/cli/payout/only-jobs.js';

it('lets the engine begin when it is told to', async () => {
  let started = 0;
  const engine: BatchEngine = {
    name: 'test',
    start: () => {
      started += 1;
    },
    add: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const held = onlyJobs(engine, () => true);
  await held.begin();
  await held.start(() => Promise.resolve());
  expect(started).toBe(0);
  await held.begin();
  expect(started).toBe(1);
});

it('gives the engine the jobs of what was asked, and no others', async () => {
  const taken: (BatchJob & { readonly delayMs: number | undefined })[] = [];
  const engine: BatchEngine = {
    name: 'test',
    start: () => undefined,
    add: (jobs, delayMs) => {
      taken.push(...jobs.map((job) => ({ ...job, delayMs })));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const job = (kind: BatchJob['kind'], batch: string): BatchJob => ({
    kind,
    account: 'default',
    environment: 'sandbox',
    batch,
    load: 'a',
    round: 1,
    chunk: 1,
  });
  const limited = onlyJobs(engine, ({ kind, batch }) => kind === 'pay' && batch === 'november');
  await limited.add([job('pay', 'october'), job('pay', 'november'), job('check', 'november')], 5);
  expect(taken).toEqual([{ ...job('pay', 'november'), delayMs: 5 }]);
});
