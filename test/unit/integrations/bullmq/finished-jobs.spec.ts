import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FinishedJobs } from '../../../../lib/integrations/bullmq/finished-jobs.js';

const MINUTE_MS = 60_000;

describe('finished jobs', () => {
  let removed: readonly number[];
  let outage: Error | undefined;
  const clean = vi.fn<(graceMs: number, limit: number, type: string) => Promise<readonly string[]>>();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    removed = [];
    outage = undefined;
    clean.mockReset().mockImplementation(() => {
      const [size = 0, ...rest] = removed;
      removed = rest;
      return outage ? Promise.reject(outage) : Promise.resolve(Array.from({ length: size }, String));
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const start = (keepMs: number): FinishedJobs => {
    const store = { run: <T>(commands: () => Promise<T>) => commands(), queue: { clean } };
    return new FinishedJobs(store as unknown as ConstructorParameters<typeof FinishedJobs>[0], keepMs);
  };

  it('are removed at the start, a thousand at a time, until none is old enough', async () => {
    removed = [1_000, 1_000, 7];
    const jobs = start(2 * MINUTE_MS);
    await vi.waitFor(() => {
      expect(clean.mock.calls).toEqual(Array.from({ length: 3 }, () => [2 * MINUTE_MS, 1_000, 'completed']));
    });
    jobs.stop();
  });

  it.each([
    [2 * MINUTE_MS, 2 * MINUTE_MS],
    [1, MINUTE_MS],
    [0, MINUTE_MS],
  ])('that are kept for %d ms are removed every %d ms, also after an outage', (keepMs, everyMs) => {
    outage = new Error('Redis is away');
    const jobs = start(keepMs);
    expect(clean).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(everyMs - 1);
    expect(clean).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(clean).toHaveBeenCalledTimes(2);
    jobs.stop();
    vi.advanceTimersByTime(10 * everyMs);
    expect(clean).toHaveBeenCalledTimes(2);
  });

  it('are left alone from the moment when the application stops', async () => {
    removed = [1_000, 1_000];
    const jobs = start(MINUTE_MS);
    jobs.stop();
    await Promise.all(clean.mock.results.map(({ value }) => value as Promise<unknown>));
    await Promise.resolve();
    expect(clean).toHaveBeenCalledTimes(1);
  });
});
