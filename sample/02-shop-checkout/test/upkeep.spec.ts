import { afterEach, expect, it, vi } from 'vitest';
import { type PaymentsJournal } from 'nestjs-payments';
import { type OrdersReconciler } from '../src/payments/orders.reconciler.js';
import { UpkeepService } from '../src/payments/upkeep.service.js';

afterEach(() => {
  vi.useRealTimers();
});

it('an instance looks after payments at its start and every five minutes, and not more often', async () => {
  vi.useFakeTimers();
  const recover = vi.fn(() => Promise.resolve());
  const journal = { recover, purge: () => Promise.resolve(0) } as unknown as PaymentsJournal;
  const upkeep = new UpkeepService(journal, { reconcile: () => Promise.resolve() } as OrdersReconciler);
  upkeep.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(299_999);
  expect(recover).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(recover).toHaveBeenCalledTimes(2);
  upkeep.onModuleDestroy();
});
