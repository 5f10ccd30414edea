import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { warnOfEviction } from '../../../../lib/storage/redis/script-runner.js';
import { failLogger } from '../../../support/failing-logger.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['drops anything', () => Promise.resolve('# Memory\r\nmaxmemory_policy:allkeys-lfu\r\n'), 1],
  ['drops what has an expiry', () => Promise.resolve('# Memory\r\nmaxmemory_policy:volatile-ttl\r\n'), 0],
  ['drops nothing', () => Promise.resolve('# Memory\r\nmaxmemory_policy:noeviction\r\n'), 0],
  ['does not say', () => Promise.resolve('# Memory\r\n'), 0],
  ['forbids the question', () => Promise.reject(new Error('NOPERM')), 0],
  ['cannot be asked', undefined as unknown as () => Promise<string>, 0],
])('warns only of a Redis that may drop anything: one %s', async (_policy, info, warnings) => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  await warnOfEviction({ info });
  expect(warn).toHaveBeenCalledTimes(warnings);
});

it('does not fail if the warning cannot be logged: nobody would catch that, and the process would end', async () => {
  failLogger();
  const info = (): Promise<string> => Promise.resolve('maxmemory_policy:allkeys-lru');
  await expect(warnOfEviction({ info })).resolves.toBeUndefined();
});
