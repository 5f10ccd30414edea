import { expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { aesGcm } from 'nestjs-payments';
import { type ModuleAccounts } from '../../../lib/accounts/module-accounts.js';
import { ReconciledAccounts } from '../../../lib/reconciliation/reconciled-accounts.js';
import { type Encryption } from '../../../lib/storage/sealed/encryption.js';
import { sealedBatches } from '../../../lib/storage/sealed/sealed-batches.js';
import { ValueSealer } from '../../../lib/storage/sealed/value-sealer.js';
import { type BatchStore, type NewBatchLine } from '../../../lib/storage/batch-store.js';
import { SEALED_PROBLEM } from '../../support/stored-record.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const LINE = { number: 1, key: 'S-1', cents: 100, recipient: 'hash', content: '{"name":"Asha"}' };

it('an account settles lines of batches that it can read, and takes sealed ones for no others', async () => {
  const stored: (NewBatchLine & { result: string })[] = [];
  const store = {
    addChunk: (_load: string, _chunk: object, lines: readonly NewBatchLine[]) => {
      stored.push(...lines.map((line) => ({ ...line, result: '{}' })));
      return Promise.resolve();
    },
    line: (_load: string, key: string) => Promise.resolve(stored.find((line) => line.key === key)),
  } as unknown as BatchStore;
  const sealer = new ValueSealer(aesGcm({ keys: { a: randomBytes(32) }, current: 'a' }) as Encryption);
  await sealedBatches(store, SCOPE, sealer).addChunk('load', { chunk: 1, digest: 'd' }, [LINE]);
  const open = async (own: ValueSealer | undefined, batches: BatchStore | undefined) => {
    const owner = { sealer: own, givenStorage: { batches }, parts: {} };
    const accounts = {
      open: () => Promise.resolve({ scope: SCOPE, services: {}, owner }),
      storageOf: () => ({ reconciliation: {} }),
    } as unknown as ModuleAccounts;
    return (await new ReconciledAccounts(accounts, { of: () => undefined } as never).open('default')).batches;
  };
  expect(await (await open(sealer, store))?.line('load', 'S-1')).toMatchObject({ content: LINE.content });
  await expect((await open(undefined, store))?.line('load', 'S-1')).rejects.toThrow(SEALED_PROBLEM);
  expect(await open(undefined, undefined)).toBeUndefined();
});
