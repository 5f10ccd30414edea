import { describe, expect, it, vi } from 'vitest';
import { PaymentsAccountError } from 'nestjs-payments';
import { BatchAccess } from '../../../../lib/batches/batch/batch-access.js';
import { type BatchAccount } from '../../../../lib/batches/batch/batch-accounts.js';
import { type BatchContext } from '../../../../lib/batches/batch/batch-context.js';
import { type BatchState, type StoredBatch } from '../../../../lib/storage/batch-store.js';

const scope = { account: 'shop', environment: 'sandbox' } as const;
const accessWith = (open: () => Promise<unknown>, state: BatchState = 'running'): BatchAccess => {
  const stored = {
    record: { batch: 'run', load: 'l', state, details: '{"lines":0,"cents":"0"}' },
  } as unknown as StoredBatch;
  const store = { get: () => Promise.resolve(stored), counts: () => Promise.resolve([]) };
  return new BatchAccess({ scope, store } as unknown as BatchAccount, stored, {
    accounts: { open },
    now: () => 0,
  } as unknown as BatchContext);
};
const refused = (code: 'ACCOUNT_UNAVAILABLE' | 'ACCOUNT_UNKNOWN'): BatchAccess =>
  accessWith(() => Promise.reject(new PaymentsAccountError(code, 'the keys cannot be had')));
const found = (environment: string, hasResolver = true, state?: BatchState): BatchAccess =>
  accessWith(() => Promise.resolve({ scope: { account: 'shop', environment }, hasResolver }), state);

describe('work on a batch', () => {
  it('begins and goes on with keys of its environment', async () => {
    await found('sandbox').checkEnvironment();
    await found('sandbox').refuseTurnedKeys();
  });

  it.each([
    [true, 'ACCOUNT_UNAVAILABLE'],
    [false, 'ACCOUNT_UNKNOWN'],
  ] as const)('neither begins nor goes on with others (of a resolver: %s)', async (hasResolver, code) => {
    const access = found('production', hasResolver);
    await expect(access.checkEnvironment()).rejects.toMatchObject({ code });
    await expect(access.refuseTurnedKeys()).rejects.toMatchObject({ code });
  });

  it('does not begin without its keys, and goes on if they cannot be had for a moment', async () => {
    await expect(refused('ACCOUNT_UNAVAILABLE').checkEnvironment()).rejects.toThrow('cannot be had');
    await refused('ACCOUNT_UNAVAILABLE').refuseTurnedKeys();
  });

  it('does not go on if there is no such account, or the storage fails', async () => {
    await expect(refused('ACCOUNT_UNKNOWN').refuseTurnedKeys()).rejects.toThrow('cannot be had');
    const failed = accessWith(() => Promise.reject(new Error('down')));
    await expect(failed.refuseTurnedKeys()).rejects.toThrow('down');
  });
});

describe('the progress of a batch', () => {
  it.each(['checking', 'running'] as const)(
    'says why it is %s without a change, if its keys are not there',
    async (state) => {
      expect(await found('production', true, state).progress()).toMatchObject({
        state,
        waitReason: 'It waits until accounts.resolve returns keys of the sandbox environment.',
      });
    },
  );

  it('says so if nobody can have the keys, and does not fail', async () => {
    expect((await refused('ACCOUNT_UNAVAILABLE').progress()).waitReason).toBe(
      'It waits for the keys of its account: PaymentsAccountError: the keys cannot be had',
    );
    const failed = accessWith(() => Promise.reject(new Error('secret')));
    expect((await failed.progress()).waitReason).toBe('It waits for the keys of its account: Error');
  });

  it('says so if the resolver does not answer, and waits a second for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const progress = accessWith(() => new Promise(() => undefined)).progress();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await progress).waitReason).toBe('It waits until accounts.resolve answers.');
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('says nothing if it waits for none', async () => {
    expect(await found('sandbox').progress()).not.toHaveProperty('waitReason');
    // A process with the other keys may work on it.
    expect(await found('production', false).progress()).not.toHaveProperty('waitReason');
    for (const state of ['paused', 'ended', 'approved'] as const) {
      const nobody = accessWith(() => Promise.reject(new Error('was asked for keys')), state);
      expect(await nobody.progress()).not.toHaveProperty('waitReason');
    }
  });
});
