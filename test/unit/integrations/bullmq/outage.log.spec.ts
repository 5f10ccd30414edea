import { afterEach, expect, it, vi } from 'vitest';
import { OutageLog } from '../../../../lib/integrations/bullmq/outage.log.js';
import { failLogger } from '../../../support/failing-logger.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('does not turn an outage into an error if the logger throws', () => {
  failLogger();
  expect(() => {
    new OutageLog('webhooks wait').failed(new Error('away'));
  }).not.toThrow();
});
