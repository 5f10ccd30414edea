import { HttpService } from '@nestjs/axios';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type BankDisbursement,
  type EnlistedPayment,
  getPaymentsToken,
  type JournalEntry,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { bankRequest } from './gateway-answers.js';
import { type MisbehavingGateway, startMisbehavingGateway } from './misbehaving-gateway.js';
import { type PaymentsApp, startPaymentsApp } from './payments-app.js';
import { scheme, secret } from './webhook-app.js';
import { accept, refuse } from './working-gateway.js';

/** A storage with transactions, whose time can be moved. */
interface Place extends PaymentsStorage {
  begin(): Promise<ApplicationTransaction> | ApplicationTransaction;
  pass(ms: number): unknown;
}

/** Longer than the lease of a call, and long enough that `recover()` looks at it. */
const LEASE_IS_OVER_MS = 200_000;

/**
 * What holds for a payment that is enlisted while a direct call of it is frozen: written down, not sent, and its lease is
 * over. Call it inside a `describe`.
 */
export function frozenCallContract(open: () => Promise<Place> | Place): void {
  let place: Place;
  let gateway: MisbehavingGateway;
  let app: PaymentsApp;
  let wake: () => Promise<unknown>;

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    wake = () => Promise.resolve();
    place = await open();
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    app = await startPaymentsApp({
      baseUrl: gateway.baseUrl,
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
      storage: place,
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await wake();
    await app.app.close();
    await gateway.close();
  });

  /** Begins a call that is written down, and stops before it sends anything. */
  async function freeze(): Promise<void> {
    const { interceptors } = app.app.get<HttpService>(getPaymentsToken(HttpService)).axiosRef;
    const calling = new AbortController();
    let call: Promise<unknown> | undefined;
    await new Promise<void>((reached) => {
      const gate = new Promise<void>((opened) => {
        wake = () => {
          // Its deadline has passed.
          calling.abort(new Error('too late'));
          opened();
          return call!;
        };
      });
      const stop = interceptors.request.use(async (config) => {
        reached();
        await gate;
        interceptors.request.eject(stop);
        return config;
      });
      call = app.disbursements.bank(bankRequest, { signal: calling.signal }).catch((error: unknown) => error);
    });
    await place.pass(LEASE_IS_OVER_MS);
  }

  async function enlist(): Promise<EnlistedPayment<BankDisbursement>> {
    const transaction = await place.begin();
    try {
      const planned = await app.disbursements.enlistBank(transaction.handle, bankRequest);
      await transaction.commit();
      return planned;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
  const entry = (): Promise<JournalEntry | undefined> =>
    app.journal.get('disbursement', bankRequest.reference);

  const refused = {
    name: 'PaymentOutcomeUnknownError',
    evidence: 'interrupted',
    message: expect.stringContaining('not enlisted') as unknown,
    hint: expect.stringContaining('PaymentsJournal.recover()') as unknown,
  };

  it('is refused until the call has woken up and left nothing, and is planned and sent after that', async () => {
    await freeze();
    await expect(enlist()).rejects.toMatchObject(refused);
    await wake();
    expect(await entry()).toBeUndefined();
    expect(await (await enlist()).send()).toMatchObject({ reference: bankRequest.reference });
    expect(gateway.seen).toHaveLength(1);
  });

  it('is refused until recover() has made it unknown, which stays when the call wakes up', async () => {
    await freeze();
    await expect(enlist()).rejects.toMatchObject(refused);
    expect(await app.journal.recover()).toMatchObject({ stillUnknown: 1 });
    expect(await enlist()).toMatchObject({ state: 'unknown' });
    await wake();
    expect([(await entry())?.state, gateway.seen]).toEqual(['unknown', []]);
  });

  it('is refused as the next attempt, too, which the call takes back when it wakes up', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    await expect(app.disbursements.bank(bankRequest)).rejects.toThrow();
    gateway.answer(accept);
    await freeze();
    await expect(enlist()).rejects.toMatchObject(refused);
    await wake();
    const planned = await enlist();
    expect(planned).toMatchObject({ state: 'planned', attempt: 2 });
    expect(await planned.send()).toMatchObject({ reference: bankRequest.reference });
  });
}
