import { describe, expect, it } from 'vitest';
import { jobOptions, retryDelayMs } from '../../../../lib/integrations/bullmq/delivery-job.js';

const retry = { maxAttempts: 20, baseDelayMs: 1_000, maxDelayMs: 300_000 };

describe('the job of a delivery', () => {
  it('has the id of the delivery, keeps what failed and forgets what finished', () => {
    expect(jobOptions('12345', { retry, keepFinishedMs: 1_500 })).toMatchObject({
      jobId: 'wh-12345',
      attempts: 20,
      removeOnComplete: { age: 2 },
      removeOnFail: false,
    });
    expect(jobOptions('a', { retry, keepFinishedMs: 0 }).removeOnComplete).toBe(true);
  });

  it.each([
    [1, 0, 1_000],
    [1, 1, 500],
    [2, 0, 2_000],
    [4, 0.5, 6_000],
    [9, 0, 256_000],
    [10, 0, 300_000],
    [19, 1, 150_000],
    [5_000, 0, 300_000],
  ])('waits after attempt %d, with the random number %d, for %d ms', (attempts, random, ms) => {
    expect(retryDelayMs(attempts, retry, random)).toBe(ms);
  });
});
