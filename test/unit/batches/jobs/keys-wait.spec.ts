import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BatchJob } from 'nestjs-payments/batches';
import { jobId } from '../../../../lib/batches/engine/batch-engine.js';
import { KeysWait } from '../../../../lib/batches/jobs/keys-wait.js';
import { type BatchRecord, type StoredBatch } from '../../../../lib/storage/batch-store.js';

const HALF_MINUTE = 30_000;
const JOB = {
  kind: 'wake',
  account: 'shop',
  environment: 'sandbox',
  batch: 'run',
  load: 'l',
  round: 2,
  chunk: 1,
} as const;
const WAITS =
  'The batch "run" of the account "shop" waits until accounts.resolve returns keys of the sandbox environment.';
const CONTINUES =
  'The batch "run" of the account "shop" continues: accounts.resolve returns keys of the sandbox environment again.';

function batch(state: BatchRecord['state'] = 'running', round = 2): StoredBatch {
  const { account, environment, batch: name, load } = JOB;
  const record = { account, environment, batch: name, load, state, details: JSON.stringify({ round }) };
  return { record } as StoredBatch;
}

describe('batches that wait for their keys', () => {
  let now: number;
  let looks: (readonly [BatchJob, number])[];
  let logged: string[];
  /** One process. */
  const processWith = (clock = (): number => now): KeysWait => {
    const add = (jobs: readonly BatchJob[], delayMs = 0): Promise<void> => {
      for (const job of jobs) looks.push([job, delayMs]);
      return Promise.resolve();
    };
    return new KeysWait({
      engine: { name: 'kept', start: () => undefined, add, close: add },
      now: clock,
    } as never);
  };

  beforeEach(() => {
    now = 0;
    looks = [];
    logged = [];
    for (const level of ['log', 'warn'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => {
        logged.push(String(line));
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are looked after by one job, whichever of their jobs asks for it, and in whichever process', async () => {
    const [one, other] = [processWith(), processWith(() => now + 100)];
    for (now = 100; now < 15_000; now += 1_000) {
      await one.wait(batch());
      await other.wait(batch());
    }
    expect(new Set(looks.map(([job]) => jobId(job)))).toEqual(new Set(['wake-shop-sandbox-l-2-1']));
    expect(looks[0]).toEqual([JOB, HALF_MINUTE - 100]);
  });

  it('are looked after every half minute', async () => {
    const keys = processWith();
    await keys.wait(batch());
    for (const expected of [1, 2, 3]) {
      const [look, delayMs] = looks.at(-1) ?? [JOB, 0];
      expect([look.chunk, delayMs]).toEqual([expected, HALF_MINUTE]);
      now += delayMs;
      await keys.wait(batch(), look.chunk);
    }
  });

  it('are never looked after by the job that runs now, in a process whose clock is behind', async () => {
    now = 9 * HALF_MINUTE;
    await processWith(() => now - 1_000).wait(batch());
    await processWith(() => now - 20_000).wait(batch(), 9);
    expect(looks.map(([{ chunk }, delayMs]) => [chunk, delayMs])).toEqual([
      [10, HALF_MINUTE + 1_000],
      [10, 45_000],
    ]);
  });

  it('do not wait for the clock of a process that was ahead', async () => {
    await processWith().wait(batch(), 500);
    expect(looks.map(([{ chunk }, delayMs]) => [chunk, delayMs])).toEqual([[501, 45_000]]);
  });

  it('say once that they wait, and once that they continue', async () => {
    const keys = processWith();
    await keys.wait(batch());
    await keys.wait(batch(), 1);
    keys.end(JOB, batch());
    expect(logged).toEqual([WAITS, CONTINUES]);
    await keys.wait(batch());
    expect(logged).toEqual([WAITS, CONTINUES, WAITS]);
  });

  it.each(['running', 'checking'] as const)(
    'continue in a process that did not say that they wait: %s',
    (state) => {
      processWith().end(JOB, batch(state));
      expect(logged).toEqual([CONTINUES]);
    },
  );

  it.each<readonly [string, BatchJob['kind'], StoredBatch]>([
    ['a job that pays', 'pay', batch()],
    ['a job that wakes a batch for another reason', 'wake', batch('paused')],
    ['a job that has resumed its batch before', 'wake', batch('running', 3)],
  ])('are none for %s', (_which, kind, stored) => {
    processWith().end({ ...JOB, kind }, stored);
    expect(logged).toEqual([]);
  });

  it('say that they continue, too, if they pause', async () => {
    const keys = processWith();
    await keys.wait(batch('paused'));
    keys.end(JOB, batch('paused'));
    expect(logged).toEqual([WAITS, CONTINUES]);
  });

  it('leave it to the look to say that they continue', async () => {
    const keys = processWith();
    await keys.wait(batch());
    keys.end({ ...JOB, kind: 'pay' }, batch());
    expect(logged).toEqual([WAITS]);
  });
});
