import { describe, expect, it } from 'vitest';
import { type MigrationTry, MigrationTurn } from '../../../../lib/storage/sql/migration-turn.js';
import { instantPauses } from '../../../support/instant-pauses.js';

const clock = instantPauses();
const MINUTE = 60_000;
const OTHER = { who: 'process 7 of PostgreSQL', howToEnd: 'SELECT pg_terminate_backend(7)' };
const LINE =
  'This migration waits for another one: process 7 of PostgreSQL. If what started it is gone, end it with SELECT pg_terminate_backend(7).';

/** Runs tries that are behind another migration until some time has passed, and gives what was told and when. */
async function wait(forMs: number, isSeen = true) {
  const begin = clock.now;
  const told: [number, string][] = [];
  const turn = new MigrationTurn('the schema "shop"', (line) => told.push([clock.now - begin, line]));
  const attempt = (): Promise<MigrationTry<string>> =>
    Promise.resolve(
      clock.now - begin < forMs ? { behind: isSeen ? OTHER : undefined } : { done: 'migrated' },
    );
  const ended = await turn.run(attempt).catch((error: unknown) => error as Error);
  return { ended, told, lasted: clock.now - begin };
}

describe('the turn of a migration', () => {
  it('comes at once if no other one runs', async () => {
    expect(await wait(0)).toEqual({ ended: 'migrated', told: [], lasted: 0 });
  });

  it('comes soon after a short one, without a word', async () => {
    const { ended, told, lasted } = await wait(1_900);
    expect({ ended, told }).toEqual({ ended: 'migrated', told: [] });
    expect(lasted).toBeLessThan(2_400);
    expect(clock.pauses.slice(0, 6)).toEqual([50, 100, 200, 400, 500, 500]);
  });

  it('comes after a long one, of which it tells after two seconds and once a minute', async () => {
    const { ended, told } = await wait(29 * MINUTE);
    expect(ended).toBe('migrated');
    expect(told).toHaveLength(29);
    expect(new Set(told.map(([, line]) => line))).toEqual(new Set([LINE]));
    const [first = 0, second = 0] = told.map(([at]) => at);
    expect(first).toBeGreaterThanOrEqual(2_000);
    expect(first).toBeLessThan(2_500);
    expect(second - first).toBeGreaterThanOrEqual(MINUTE);
    expect(second - first).toBeLessThan(MINUTE + 500);
  });

  it('does not come after half an hour, and the error says who is to blame', async () => {
    const { ended, lasted } = await wait(Infinity);
    expect(ended).toMatchObject({
      name: 'PaymentsStorageError',
      message:
        'The tables of nestjs-payments in the schema "shop" could not be migrated, and nothing was changed, because another migration has ' +
        'been running for 30 minutes: process 7 of PostgreSQL. If what started it is gone, end it with SELECT pg_terminate_backend(7).',
    });
    expect(lasted).toBeGreaterThanOrEqual(30 * MINUTE);
    expect(lasted).toBeLessThan(30 * MINUTE + 500);
  });

  it('says nothing of one that nobody sees', async () => {
    expect(await wait(MINUTE, false)).toMatchObject({ ended: 'migrated', told: [] });
    expect((await wait(Infinity, false)).ended).toMatchObject({
      message: expect.stringMatching(/running for 30 minutes\.$/) as unknown,
    });
  });

  it('has one limit for several waits', async () => {
    const turn = new MigrationTurn('the database', () => undefined);
    clock.now += 30 * MINUTE;
    await expect(turn.run(() => Promise.resolve({ behind: OTHER }))).rejects.toThrow('for 30 minutes');
  });
});
