import { describe, expect, it } from 'vitest';
import { PaymentsAccountError } from 'nestjs-payments';
import { BatchAccess } from '../../../../lib/batches/batch/batch-access.js';
import { type BatchAccount } from '../../../../lib/batches/batch/batch-accounts.js';
import { type BatchContext } from '../../../../lib/batches/batch/batch-context.js';
import { type StoredBatch } from '../../../../lib/storage/batch-store.js';

const scope = { account: 'shop', environment: 'sandbox' } as const;
const accessWith = (open: () => Promise<unknown>): BatchAccess =>
  new BatchAccess(
    { scope } as unknown as BatchAccount,
    { record: { batch: 'run', load: 'l' } } as unknown as StoredBatch,
    { accounts: { open } } as unknown as BatchContext,
  );
const refused = (code: 'ACCOUNT_UNAVAILABLE' | 'ACCOUNT_UNKNOWN'): BatchAccess =>
  accessWith(() => Promise.reject(new PaymentsAccountError(code, 'the keys cannot be had')));
const found = (environment: string, hasResolver = true): BatchAccess =>
  accessWith(() => Promise.resolve({ scope: { account: 'shop', environment }, hasResolver }));

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
