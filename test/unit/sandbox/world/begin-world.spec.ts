import { expect, it, vi } from 'vitest';
import { composeSandbox } from '../../../../lib/sandbox/compose.js';
import { resolveSandboxOptions } from '../../../../lib/sandbox/resolve-sandbox-options.js';
import { beginWorld } from '../../../../lib/sandbox/world/begin-world.js';

it('makes a long history without a report at each of its moments, which would take quadratic time', async () => {
  const parts = composeSandbox(resolveSandboxOptions({ clock: 'manual', expireAfter: '15m' }));
  const reported = vi.fn();
  parts.activity.on('clock', reported);
  const payments = Array.from({ length: 20 }, (_, index) => ({
    reference: `order-${index}`,
    amount: 15_000,
    phone: '255712345678',
    age: `${index + 0.5}m` as const,
  }));
  await beginWorld(parts, { merchants: { shop: { payments } } }, false);
  const states = parts.view.payments().map(({ status }) => status);
  expect(states).toEqual([
    ...Array.from({ length: 5 }, () => 'expired'),
    ...Array.from({ length: 15 }, () => 'pending'),
  ]);
  expect(reported).not.toHaveBeenCalled();
});
