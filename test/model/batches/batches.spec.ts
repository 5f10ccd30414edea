import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { batchPlans, USUAL } from './batch-plan.js';
import type * as Story from './batch-story.js';
import { type BatchWorld } from './batch-world.js';

const { BATCHES_RUNS, BATCHES_SEED, BATCHES_PATH } = process.env;
const runs = Number(BATCHES_RUNS ?? 5);
const seed = Number(BATCHES_SEED ?? Date.now() % 2 ** 31);

/** Fewer stories may miss something. */
const MANY = 100;
/** What many stories must reach. */
const REACHED = [
  'ran: check',
  'ran: pay',
  'ran: wake',
  'died: pay',
  'run: twice',
  'run: on both',
  'run: lost',
  'accept: done',
  'approve by maker: BATCH_APPROVAL',
  'pause: done',
  'resume: done',
  'cancel: done',
  'settle: done',
  'last: ended',
  'last: cancelled',
];

describe('a batch, whatever breaks', () => {
  let world: BatchWorld;
  let BatchStory: typeof Story.BatchStory;

  beforeAll(async () => {
    // Chunks of three lines, so that a story of a few lines has several. Only in a run of their own: in `npm test` the next
    // specs of this process would have them, too.
    if (BATCHES_RUNS !== undefined)
      vi.doMock('../../../lib/batches/loading/chunk-lines.js', () => ({ CHUNK_LINES: 3 }));
    ({ BatchStory } = await import('./batch-story.js'));
    const { BatchWorld: World } = await import('./batch-world.js');
    world = await World.open();
  });
  beforeEach(() => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
  });
  afterAll(() => world.close());

  it('ends if the last line that was open is settled while it pauses', async () => {
    const reached = new Map<string, number>();
    const dies = { how: 'dies', death: { afterCalls: 7, isDone: true } } as const;
    const story = new BatchStory(
      world,
      {
        fates: ['is taken'],
        steps: [
          ...USUAL,
          { process: 1, act: 'run', job: 0, run: dies },
          { process: 0, act: 'pause' },
          { process: 0, act: 'settle', line: 0 },
        ],
      },
      reached,
    );
    await story.play();
    expect([...reached.keys()]).toEqual(expect.arrayContaining(['died: pay', 'settle: done', 'last: ended']));
  });

  it(
    `keeps its sums and pays each line once, in ${runs} random stories`,
    async () => {
      const reached = new Map<string, number>();
      process.stdout.write(
        `The same stories again: npm run test:model:batches -- --runs ${runs} --seed ${seed}\n`,
      );
      await fc.assert(
        fc.asyncProperty(batchPlans, (plan) => new BatchStory(world, plan, reached).play()),
        { numRuns: runs, seed, ...(BATCHES_PATH !== undefined && { path: BATCHES_PATH }) },
      );
      if (runs < MANY) return;
      for (const [what, times] of [...reached].sort(([, one], [, other]) => other - one))
        process.stdout.write(`${String(times).padStart(7)} ${what}\n`);
      expect(REACHED.filter((what) => !reached.has(what))).toEqual([]);
    },
    60_000 + runs * 10_000,
  );
});
