import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage, PaymentsModule, type PaymentsStorage } from 'nestjs-payments';
import { HandlerEnlistments } from '../../../lib/journal/payment/handler-enlistments.js';

/** Boots an application whose accounts come from a resolver. None of them is made here. */
async function boot(storage: PaymentsStorage): Promise<void> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRootAsync({
        useFactory: () => ({
          baseUrl: 'http://127.0.0.1:1/api/v1',
          storage,
          accounts: { resolve: () => Promise.resolve(undefined) },
        }),
      }),
    ],
  }).compile();
  await module.close();
}

describe('a registration', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('expects from the boot on that handlers enlist in a storage with transactions', async () => {
    const expected = vi.spyOn(HandlerEnlistments, 'expect');
    const storage = memoryStorage();
    Object.assign(storage.journal, { within: () => Promise.reject(new Error('not asked')) });
    await boot(storage);
    expect(expected).toHaveBeenCalledOnce();
  });

  it('expects nothing of a storage without transactions', async () => {
    const expected = vi.spyOn(HandlerEnlistments, 'expect');
    await boot(memoryStorage());
    expect(expected).not.toHaveBeenCalled();
  });
});
