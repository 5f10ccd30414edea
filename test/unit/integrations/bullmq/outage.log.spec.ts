import { performance } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { OutageLog } from '../../../../lib/integrations/bullmq/outage.log.js';
import { failLogger } from '../../../support/failing-logger.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('does not turn an outage into an error if the logger throws', () => {
  failLogger();
  expect(() => {
    new OutageLog('webhooks wait').failed(new Error('away'));
  }).not.toThrow();
});

it('logs once a minute, also if the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const log = new OutageLog('webhooks wait');
  log.failed(new Error('away'));
  vi.setSystemTime(Date.now() - 3_600_000);
  now.mockReturnValue(59_999);
  log.failed(new Error('away'));
  expect(logged).toHaveBeenCalledTimes(1);
  now.mockReturnValue(60_000);
  log.failed(new Error('away'));
  expect(logged).toHaveBeenCalledTimes(2);
  expect(logged.mock.lastCall?.[0]).toMatch(/webhooks wait \(1 more since the last line\)\.$/);
});
