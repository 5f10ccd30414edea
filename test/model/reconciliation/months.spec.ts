import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type ReconciliationPlace,
  startReconciliationApp,
  startReconciliationPlace,
} from '../../support/reconciliation-place.js';
import { Month } from './month.js';

const { MONTHS_RUNS, MONTHS_SEED } = process.env;
const runs = Number(MONTHS_RUNS ?? 1);
const first = Number(MONTHS_SEED ?? 7_006);

/** Fewer months may miss something, but for those that `.ci/run` lives through. */
const MANY = 40;
const OF_CI = { first: 9_000, runs: 8 };
const KINDS = [
  'amount',
  'balance',
  'duplicate',
  'fee',
  'late',
  'missing-here',
  'missing-there',
  'proven',
  'status',
  'unknown',
  'unproven',
];

describe('a month whose days are closed', () => {
  let place: ReconciliationPlace;

  beforeAll(async () => {
    place = await startReconciliationPlace();
  });
  beforeEach(() => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
  });
  afterAll(() => place.close());

  it(
    'shows every error that was planted, and nothing else',
    async () => {
      const found = new Map<string, number>();
      for (let run = 0; run < runs; run += 1) {
        const seed = first + run;
        await place.sandbox.reset();
        await place.database.clear();
        const living: { month?: Month } = {};
        const shop = await startReconciliationApp(place, {
          middleware: (_request, response, next) => {
            if (living.month?.isWebhookLost()) response.writeHead(503).end();
            else next();
          },
        });
        place.sandbox.deliverTo(`${await shop.app.getUrl()}/webhooks/payments`);
        const month = new Month(place, shop, seed);
        living.month = month;
        await month.live();
        await shop.app.close();
        expect({ seed, problems: month.problems }).toEqual({ seed, problems: [] });
        for (const [kind, count] of month.found) found.set(kind, (found.get(kind) ?? 0) + count);
      }
      if (runs >= MANY || (first === OF_CI.first && runs >= OF_CI.runs))
        expect([...found.keys()].sort()).toEqual(KINDS);
    },
    runs * 120_000,
  );
});
