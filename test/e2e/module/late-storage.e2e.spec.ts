import { afterEach, expect, it, vi } from 'vitest';
import { Test } from '@nestjs/testing';
import { CollectionsService, memoryStorage, PaymentsModule } from 'nestjs-payments';
import { collectionRequest } from '../../support/gateway-answers.js';
import { remoteJournal } from '../../support/remote-journal.js';
import { LogLines } from '../../support/webhook-app.js';

const GATEWAY = { baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop' };
const KEY = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
  reference: collectionRequest.reference,
} as const;

afterEach(() => {
  vi.useRealTimers();
});

it('a payment that the storage writes a minute late is removed, because its call said that nothing was sent', async () => {
  const memory = memoryStorage();
  let write = (): void => {};
  const journal = remoteJournal(memory.journal);
  vi.spyOn(journal, 'insert').mockImplementation(async (...entry) => {
    await new Promise<void>((resolve) => (write = resolve));
    return memory.journal.insert(...entry);
  });
  const application = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot({ ...GATEWAY, storage: { ...memory, name: 'remote', journal } })],
  })
    .setLogger(new LogLines())
    .compile();
  // Nothing else in this process may see the clock turn.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const call = application.get(CollectionsService).mobileMoney(collectionRequest);
  const told = expect(call).rejects.toMatchObject({
    name: 'PaymentsStorageError',
    mayHaveBeenProcessed: 'not-by-this-call',
  });
  await vi.advanceTimersByTimeAsync(60_000);
  await told;

  write();
  await vi.advanceTimersByTimeAsync(0);
  expect(await memory.journal.get(KEY)).toBeUndefined();
  await application.close();
});
