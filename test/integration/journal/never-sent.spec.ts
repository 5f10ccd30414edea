import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpService } from '@nestjs/axios';
import { Logger } from '@nestjs/common';
import { getAdapter, type InternalAxiosRequestConfig } from 'axios';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import {
  getPaymentsToken,
  hmac,
  type JournalRecord,
  type JournalStore,
  type PaymentsModuleOptions,
  type PaymentsStorage,
  type StoredJournalRecord,
} from 'nestjs-payments';
import { collectionRequest } from '../../support/gateway-answers.js';
import { KeyOnlyGateway } from '../../support/key-only-gateway.js';
import { API_KEY, API_SECRET } from '../../support/merchant.js';
import { hang, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { describeWith } from '../../support/services.js';
import { SHARED_STORES, type SharedStore } from '../../support/shared-store.js';

const DEADLINE_MS = 2_000;
const OLD_ENOUGH_MS = DEADLINE_MS + 60_001;
const KEY = { account: 'default', environment: 'sandbox', family: 'collection' } as const;

/** Waits for a connection that nobody makes. */
function requestThatNeverLeaves(options: RequestOptions): ClientRequest {
  const agent = new HttpAgent();
  agent.createConnection = () => undefined;
  return httpRequest({ ...options, agent });
}

describe.each(SHARED_STORES)('with the journal in %s behind a network', (_name, service, open) => {
  describeWith([service], 'and a process that dies', () => {
    let store: SharedStore;
    let gateway: MisbehavingGateway;
    let ledger: KeyOnlyGateway;
    const running: PaymentsApp[] = [];

    const start = async (
      storage: PaymentsStorage,
      options: Partial<PaymentsModuleOptions> = {},
    ): Promise<PaymentsApp> => {
      const started = await startPaymentsApp({
        baseUrl: gateway.baseUrl,
        apiKey: API_KEY,
        apiSecret: API_SECRET,
        deadlineMs: DEADLINE_MS,
        retry: { maxAttempts: 1 },
        webhooks: {
          scheme: hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
          secrets: ['a secret of sixteen bytes'],
        },
        ...options,
        storage,
      });
      running.push(started);
      return started;
    };
    const failureOf = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => undefined,
        (error: unknown) => error,
      );
    const request = { ...collectionRequest, reference: 'order-1' };
    const storedEntry = (reference = 'order-1'): Promise<StoredJournalRecord | undefined> =>
      store.direct.journal.get({ ...KEY, reference });
    const until = async (fits: (record: JournalRecord | undefined) => boolean): Promise<void> => {
      while (!fits((await storedEntry())?.record));
    };
    /** A process whose connections to the store are open, as they are in the middle of a day. */
    const startWarm = async (storage: PaymentsStorage, options = {}): Promise<PaymentsApp> => {
      const app = await start(storage, options);
      await app.journal.get('collection', 'nobody');
      return app;
    };
    /** What another process makes of it, once nobody can be at it any more. */
    const recovered = async (): Promise<unknown> => {
      await store.pass(OLD_ENOUGH_MS);
      const second = await start(store.direct);
      return second.journal.recover();
    };
    const effects = (): number => ledger.effectsOf('collection', 'order-1').length;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());
    beforeEach(async () => {
      vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      ledger = new KeyOnlyGateway();
      gateway = await startMisbehavingGateway();
      gateway.answer(ledger.answer);
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await Promise.all(running.splice(0).map(({ app }) => app.close()));
      await gateway.close();
      store.proxy.restore();
      const { journal } = store.direct;
      const left = await storedEntry();
      if (left) await journal.remove(left.record, left.version);
    });

    it.each([
      ['reaches the store only after its caller gave up', 'hang'],
      ['is done, and its answer is lost', 'mute'],
    ] as const)(
      'before it takes back an insert that %s: the payment is sent by nobody',
      async (_what, fault) => {
        const first = await startWarm(store.throughProxy());
        store.proxy[fault]();
        expect(await failureOf(first.collections.mobileMoney(request))).toMatchObject({
          name: 'PaymentsStorageError',
        });
        first.crash();
        store.proxy.restore();
        await until((record) => record !== undefined);
        expect(await recovered()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
        expect(await storedEntry()).toMatchObject({ record: { state: 'unknown', evidence: 'interrupted' } });
        expect(effects()).toBe(0);
        expect(gateway.seen).toHaveLength(0);
      },
    );

    it.each<[over: string, http: NonNullable<PaymentsModuleOptions['http']>]>([
      ["the package's own connections", {}],
      ['an agent of the application', { httpAgent: new HttpAgent() }],
    ])(
      'before it takes back what no connection to the gateway was found for over %s: sent by nobody',
      async (_over, http) => {
        const storage = store.throughProxy();
        const journal: JournalStore = Object.assign(Object.create(storage.journal) as JournalStore, {
          insert: async (...args: Parameters<JournalStore['insert']>) => {
            const written = await storage.journal.insert(...args);
            store.proxy.cut();
            return written;
          },
        });
        const first = await startWarm(
          { ...storage, journal },
          { baseUrl: 'http://127.0.0.1:1/api/v1', http },
        );
        expect(await failureOf(first.collections.mobileMoney(request))).toMatchObject({
          name: 'GatewayUnreachableError',
          mayHaveBeenProcessed: false,
        });
        first.crash();
        store.proxy.restore();
        expect(await recovered()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
        expect(effects()).toBe(0);
      },
    );

    it('before it takes back what its own interceptor stopped, in front of an adapter of its own: sent by nobody', async () => {
      const storage = store.throughProxy();
      const journal: JournalStore = Object.assign(Object.create(storage.journal) as JournalStore, {
        insert: async (...args: Parameters<JournalStore['insert']>) => {
          const written = await storage.journal.insert(...args);
          store.proxy.cut();
          return written;
        },
      });
      const adapter = getAdapter('http');
      const first = await startWarm(
        { ...storage, journal },
        { http: { adapter: (config: InternalAxiosRequestConfig) => adapter(config) } },
      );
      first.app.get<HttpService>(getPaymentsToken(HttpService)).axiosRef.interceptors.request.use(() => {
        throw new Error('no token');
      });
      expect(await failureOf(first.collections.mobileMoney(request))).toMatchObject({
        name: 'GatewayUnreachableError',
        mayHaveBeenProcessed: false,
      });
      first.crash();
      store.proxy.restore();
      expect(await recovered()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
      expect(effects()).toBe(0);
    });

    it.each<[what: string, http: NonNullable<PaymentsModuleOptions['http']>]>([
      ['an adapter', { adapter: () => new Promise(() => {}) }],
      ['a transport', { transport: { request: requestThatNeverLeaves } }],
    ])(
      'after it handed the request to %s of its own: that is noted, and the payment is made once',
      async (_what, http) => {
        const first = await startWarm(store.throughProxy(), { http });
        void failureOf(first.collections.mobileMoney(request));
        await until((record) => record?.sent === true);
        // The end of the call would note it, too.
        expect(await storedEntry()).toMatchObject({ record: { state: 'in-flight' } });
        first.crash();
        expect(await recovered()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
        expect(effects()).toBe(1);
      },
    );

    it('before it takes back what its caller aborted before sending: sent by nobody', async () => {
      const storage = store.throughProxy();
      const abort = new AbortController();
      const journal: JournalStore = Object.assign(Object.create(storage.journal) as JournalStore, {
        insert: async (...args: Parameters<JournalStore['insert']>) => {
          const written = await storage.journal.insert(...args);
          store.proxy.cut();
          abort.abort('enough');
          return written;
        },
      });
      const first = await startWarm({ ...storage, journal });
      const call = first.collections.mobileMoney(request, { signal: abort.signal });
      expect(await failureOf(call)).toBe('enough');
      first.crash();
      store.proxy.restore();
      expect(await recovered()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
      expect(gateway.seen).toHaveLength(0);
    });

    it('while the gateway has the request: sent once more, with the same key and bytes', async () => {
      const first = await startWarm(store.throughProxy());
      gateway.answer(hang, ledger.answer);
      const call = failureOf(first.collections.mobileMoney(request));
      await until((record) => record?.sent === true);
      first.crash();
      await call;
      expect(await recovered()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
      expect(effects()).toBe(1);
      const [one, two] = gateway.seen;
      expect([two?.headers['idempotency-key'], two?.body]).toEqual([
        one?.headers['idempotency-key'],
        one?.body,
      ]);
    });

    it.each([
      ['a refusal', 'refused'],
      ['credentials that the gateway did not take', 'unauthorized'],
      ['too many requests', 'too-many'],
    ] as const)(
      'before it could write %s down: its caller got the error that the payment is open, since it may be sent once more',
      async (_what, fault) => {
        const first = await startWarm(store.throughProxy());
        ledger.plan(fault);
        gateway.answer((...exchange) => {
          // What the process says now it says without its journal.
          void until((record) => record?.sent === true).then(() => {
            store.proxy.cut();
            ledger.answer(...exchange);
          });
        }, ledger.answer);
        expect(await failureOf(first.collections.mobileMoney(request))).toMatchObject({
          name: 'PaymentOutcomeUnknownError',
          evidence: 'interrupted',
          mayHaveBeenProcessed: true,
          message: expect.stringContaining('recover()') as unknown,
          attempts: [expect.objectContaining({ phase: 'answered' })],
        });
        first.crash();
        store.proxy.restore();
        expect(await recovered()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
        expect(effects()).toBe(1);
      },
    );
  });
});
