import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { describeWith, postgresService, redisService } from '../support/services.js';
import { Model } from './model.js';
import { plans } from './random-plans.js';
import { inMemory, type ModelStorage, onPostgres, onRedis } from './storages.js';

const { MODEL_STORAGE, MODEL_RUNS, MODEL_SEED, MODEL_PATH } = process.env;
const seed = Number(MODEL_SEED ?? Date.now() % 2 ** 31);

interface Setup {
  readonly storage: 'memory' | 'postgres' | 'redis';
  /** How many stories there are unless said. */
  readonly stories: number;
  readonly open: () => Promise<ModelStorage> | ModelStorage;
}

/** Plays random stories on one storage, and says which kinds of them there were. */
function stories({ storage, stories, open }: Setup): void {
  const runs = Number(MODEL_RUNS ?? stories);
  let model: Model;

  beforeAll(async () => {
    model = await Model.open(await open());
  });
  beforeEach(() => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
  });
  afterAll(() => model.close());

  it(
    `whatever breaks, in ${runs} random stories`,
    async () => {
      tell(
        `The same stories again: npm run test:model -- --storage ${storage} --runs ${runs} --seed ${seed}`,
      );
      await fc.assert(
        fc.asyncProperty(plans, (plan) => model.play(plan)),
        { numRuns: runs, seed, ...(MODEL_PATH !== undefined && { path: MODEL_PATH }) },
      );
      const ends = [...model.ends].sort(([, one], [, other]) => other - one);
      if (MODEL_RUNS !== undefined) {
        for (const [end, times] of ends) tell(`${String(times).padStart(7)} calls ended: ${end}`);
        model.coverage.lines().forEach(tell);
      }
      expect(model.coverage.missing()).toEqual([]);
    },
    // A story takes a second or two; on a machine with much else to do, many times that.
    60_000 + runs * 20_000,
  );
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** All storages, or the one of `--storage`. */
const isAsked = (storage: Setup['storage']): boolean =>
  MODEL_STORAGE === undefined || MODEL_STORAGE === storage;

describe('money is never sent twice, and never called failed when it may have moved', () => {
  if (isAsked('memory')) {
    describe('in memory', () => {
      stories({ storage: 'memory', stories: 100, open: inMemory });
    });
  }
  if (isAsked('postgres')) {
    describeWith([postgresService], 'on PostgreSQL', () => {
      stories({ storage: 'postgres', stories: 30, open: () => onPostgres(postgresService.url) });
    });
  }
  if (isAsked('redis')) {
    describeWith([redisService], 'on Redis', () => {
      stories({ storage: 'redis', stories: 30, open: () => onRedis(redisService.url) });
    });
  }
});
