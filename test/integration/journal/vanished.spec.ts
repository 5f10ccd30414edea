import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  vi,
  type MockInstance,
} from 'vitest';
import { Logger } from '@nestjs/common';
import {
  hmac,
  memoryStorage,
  type JournalEntry,
  type JournalRecord,
  type JournalStore,
  type PaymentsJournal,
  type PaymentsStorage,
} from 'nestjs-payments';
import { collectionRequest } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { KeyOnlyGateway, type Fault } from '../../support/key-only-gateway.js';
import { API_KEY, API_SECRET } from '../../support/merchant.js';
import { startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { remoteJournal } from '../../support/remote-journal.js';
import { describeWith } from '../../support/services.js';
import { SHARED_STORES, type SharedStore } from '../../support/shared-store.js';

type OpenStore = Pick<SharedStore, 'direct' | 'close'>;

const IN_MEMORY = [
  'memory',
  undefined,
  (): Promise<OpenStore> => {
    const storage = memoryStorage();
    const direct = { ...storage, journal: remoteJournal(storage.journal) };
    return Promise.resolve({ direct, close: () => Promise.resolve() });
  },
] as const;

describe.each([IN_MEMORY, ...SHARED_STORES])(
  'a payment that %s loses while its call runs',
  (_name, service, open) => {
    describeWith(service ? [service] : [], 'in a fail-over, or by a restored back-up', () => {
      let store: OpenStore;
      let journal: JournalStore;
      let gateway: MisbehavingGateway;
      let ledger: KeyOnlyGateway;
      let app: PaymentsApp;
      let error: MockInstance<Logger['error']>;
      const key = journalRecord('order-1');
      const request = { ...collectionRequest, reference: 'order-1' };

      const start = (storage: PaymentsStorage): Promise<PaymentsApp> =>
        startPaymentsApp({
          baseUrl: gateway.baseUrl,
          apiKey: API_KEY,
          apiSecret: API_SECRET,
          deadlineMs: 5_000,
          retry: { maxAttempts: 1 },
          probe: { collections: false },
          webhooks: {
            scheme: hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
            secrets: ['a secret of sixteen bytes'],
          },
          storage,
        });
      /** What happens in the journal while the gateway has the request. */
      const meanwhile = (
        fault: Fault,
        change: (written: JournalRecord, version: number) => Promise<unknown>,
      ): void => {
        ledger.plan(fault);
        gateway.answer((...exchange) => {
          void journal
            .get(key)
            .then((stored) => stored && change(stored.record, stored.version))
            .then(() => {
              ledger.answer(...exchange);
            });
        }, ledger.answer);
      };
      const vanish = (record: JournalRecord, version: number): Promise<unknown> =>
        journal.remove(record, version);
      const unresolved = async (from: PaymentsJournal): Promise<JournalEntry[]> => {
        const found: JournalEntry[] = [];
        for await (const entry of from.unresolved()) found.push(entry);
        return found;
      };
      const call = (): Promise<unknown> =>
        app.collections.mobileMoney(request).catch((failure: unknown) => failure);

      beforeAll(async () => {
        store = await open();
        journal = store.direct.journal;
      });
      afterAll(() => store.close());
      beforeEach(async () => {
        vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
        error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
        ledger = new KeyOnlyGateway();
        gateway = await startMisbehavingGateway();
        gateway.answer(ledger.answer);
        app = await start(store.direct);
      });
      afterEach(async () => {
        vi.restoreAllMocks();
        await app.app.close();
        await gateway.close();
        const left = await journal.get(key);
        if (left) await journal.remove(key, left.version);
      });

      it('is written again as unknown, said in the log, and listed', async () => {
        meanwhile('lost-after', vanish);
        expect(await call()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'no-answer' });
        expect(await unresolved(app.journal)).toEqual([
          expect.objectContaining({ reference: 'order-1', state: 'unknown', evidence: 'no-answer' }),
        ]);
        expect(error.mock.calls).toEqual([[expect.stringMatching(/lost .*"order-1".*as unknown/)]]);
        expect(await call()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'no-answer' });
        expect(gateway.seen).toHaveLength(1);
      });

      it('is written again as accepted, with its answer', async () => {
        meanwhile('none', vanish);
        const answer = await call();
        expect(answer).toMatchObject({ reference: 'order-1', status: 'pending' });
        expect(error.mock.calls).toEqual([[expect.stringContaining('as accepted')]]);
        expect(await call()).toEqual(answer);
        expect(gateway.seen).toHaveLength(1);
      });

      it('is written again as refused: the next call is the next attempt, with another key', async () => {
        meanwhile('refused', vanish);
        expect(await call()).toMatchObject({ name: 'PaymentRejectedError' });
        expect(error.mock.calls).toEqual([[expect.stringContaining('as rejected')]]);
        await call();
        const keys = gateway.seen.map(({ headers }) => headers['idempotency-key']);
        expect(new Set(keys).size).toBe(2);
      });

      it('is written again with its key if the gateway turned it away', async () => {
        meanwhile('too-many', vanish);
        expect(await call()).toMatchObject({ name: 'PaymentsRateLimitError' });
        expect((await journal.get(key))?.record).toMatchObject({
          state: 'rejected',
          keepsKey: true,
          attempt: 1,
        });
        expect(error).toHaveBeenCalledTimes(1);
      });

      it('is written again with its key if the gateway turned its second attempt away', async () => {
        ledger.plan('refused');
        await call();
        meanwhile('too-many', vanish);
        expect(await call()).toMatchObject({ name: 'PaymentsRateLimitError' });
        expect((await journal.get(key))?.record).toMatchObject({
          state: 'rejected',
          keepsKey: true,
          attempt: 2,
        });
        expect(error).toHaveBeenCalledTimes(1);
      });

      it.each([
        ['none', 'accepted', undefined],
        ['lost-after', 'unknown', 'PaymentOutcomeUnknownError'],
        ['too-many', 'rejected', 'PaymentsRateLimitError'],
        ['refused', 'rejected', 'PaymentRejectedError'],
      ] as const)(
        'is written over the refused first attempt that the journal went back to (%s)',
        async (fault, state, name) => {
          ledger.plan('refused');
          await call();
          const refused = await journal.get(key);
          meanwhile(fault, async (written, version) => {
            await vanish(written, version);
            await journal.insert(refused!.record, 0);
          });
          const answer = await call();
          if (name) expect(answer).toMatchObject({ name });
          expect((await journal.get(key))?.record).toMatchObject({ state, attempt: 2 });
          expect(error.mock.calls).toEqual([[expect.stringContaining(`written again as ${state}`)]]);
          const listed = (await unresolved(app.journal)).map((entry) => entry.state);
          expect(listed).toEqual(state === 'rejected' ? [] : [state]);
          await call();
          const keys = gateway.seen.map(({ headers }) => headers['idempotency-key']);
          expect(new Set(keys).size).toBe(fault === 'refused' ? 3 : 2);
        },
      );

      it.each(['none', 'lost-after', 'too-many', 'refused'] as const)(
        'is not written over the first attempt that a webhook has settled since it came back (%s)',
        async (fault) => {
          ledger.plan('refused');
          await call();
          const refused = await journal.get(key);
          const settled = {
            ...refused!.record,
            state: 'settled',
            outcome: 'success',
            settledBy: 'webhook',
          } as const;
          meanwhile(fault, async (written, version) => {
            await vanish(written, version);
            await journal.insert(settled, 0);
          });
          await call();
          expect((await journal.get(key))?.record).toMatchObject({
            state: 'settled',
            outcome: 'success',
            settledBy: 'webhook',
            attempt: 1,
          });
        },
      );

      it('is not written over another payment that took its reference meanwhile', async () => {
        const another = journalRecord('order-1', {
          intent: 'another-call',
          bodyHash: '1:another',
          state: 'in-flight',
        });
        meanwhile('none', async (written, version) => {
          await vanish(written, version);
          await journal.insert({ ...another, idempotencyKey: written.idempotencyKey }, 60_000);
        });
        expect(await call()).toMatchObject({ reference: 'order-1', status: 'pending' });
        expect((await journal.get(key))?.record).toMatchObject({ bodyHash: '1:another', state: 'in-flight' });
        expect(error.mock.calls).toEqual([[expect.stringContaining('another payment')]]);
      });

      it('is not written again if it had ended and was forgotten', async () => {
        meanwhile('lost-after', async (written, version) => {
          await journal.replace(
            version,
            { ...written, state: 'settled', outcome: 'success', settledBy: 'webhook' },
            0,
          );
          await journal.purge(key, 'settled', -60_000);
        });
        expect(await call()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
        expect(await journal.get(key)).toBeUndefined();
        expect(await journal.tombstone(key)).toMatchObject({ end: 'success' });
        expect(error).not.toHaveBeenCalled();
        await journal.purge(key, 'tombstones', -60_000);
      });
    });
  },
);
