import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import {
  CALL_ATTEMPT_CHANNEL,
  type CallOptions,
  memoryStorage,
  onPaymentsDiagnostics,
  type JournalEntry,
  type PaymentFamily,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';

/** Shorter than the wait before a probe, so that a call never makes one itself. */
const DEADLINE_MS = 14_000;
const OLD_ENOUGH = DEADLINE_MS + 30_001;
const PAY = 'POST /payments/mobile-money';
const PAY_OUT = 'POST /disbursements/mobile-money';

describe('recover()', () => {
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;
  let now: number;
  let first: PaymentsApp;
  const running: PaymentsApp[] = [];

  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<PaymentsApp> => {
    const started = await startPaymentsApp({
      ...sandbox.moduleOptions(),
      timeoutMs: 12_000,
      deadlineMs: DEADLINE_MS,
      retry: { maxAttempts: 1 },
      ...options,
      storage,
    });
    running.push(started);
    return started;
  };
  const lost = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const storedEntry = (family: PaymentFamily, reference: string): Promise<JournalEntry | undefined> =>
    running.at(-1)!.journal.get(family, reference);

  /** Makes a call whose process dies after the gateway had it and before its answer is written down. */
  const crashDuring = async (call: (options: CallOptions) => Promise<unknown>): Promise<void> => {
    const caller = new AbortController();
    for (const topic of ['payment', 'payout'] as const) {
      sandbox.on(topic, () => {
        first.crash();
        caller.abort();
      });
    }
    await lost(call({ signal: caller.signal }));
  };

  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    first = await start();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(running.splice(0).map(({ app }) => app.close()));
  });

  it('sends what a crash cut off before the gateway had it, with the same key and bytes', async () => {
    sandbox.next(PAY).dropBefore();
    const call = lost(first.collections.mobileMoney(collectionRequest));
    await call;
    now += OLD_ENOUGH;
    const second = await start();
    expect(await second.journal.recover()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
    const [one, two] = sandbox.requests();
    expect(two?.headers).toEqual(one?.headers);
    expect(two?.body).toEqual(one?.body);
    expect(sandbox.payments()).toHaveLength(1);
    expect(await storedEntry('collection', 'order-1')).toMatchObject({ state: 'accepted', attempt: 1 });
    const again = await second.collections.mobileMoney(collectionRequest);
    expect(again).toMatchObject({
      status: 'pending',
      provider_reference: sandbox.payments()[0]!.provider_reference,
    });
    expect(sandbox.requests()).toHaveLength(2);
  });

  it('sends nothing again whose caller allowed one try only', async () => {
    sandbox.next(PAY).dropBefore();
    await lost(first.collections.mobileMoney(collectionRequest, { retry: false }));
    sandbox.next(PAY).hang();
    await crashDuring((options) =>
      first.collections.mobileMoney(
        { ...collectionRequest, reference: 'order-2' },
        { ...options, retry: false },
      ),
    );
    const requests = sandbox.requests().length;
    now += OLD_ENOUGH;
    const second = await start();
    expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 2 });
    for (const reference of ['order-1', 'order-2']) {
      expect(await lost(second.collections.mobileMoney({ ...collectionRequest, reference }))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
      });
      expect(await storedEntry('collection', reference)).toMatchObject({ state: 'unknown' });
    }
    expect(sandbox.requests()).toHaveLength(requests);
  });

  it('recovers a payment whose process died before the answer: never a second payment', async () => {
    sandbox.next(PAY).hang();
    await crashDuring((options) => first.collections.mobileMoney(collectionRequest, options));
    const second = await start();
    expect(await storedEntry('collection', 'order-1')).toMatchObject({ state: 'in-flight' });
    expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0 });
    now += OLD_ENOUGH;
    expect(await second.journal.recover()).toEqual({ probed: 1, settled: 0, stillUnknown: 1 });
    expect(await storedEntry('collection', 'order-1')).toMatchObject({
      state: 'unknown',
      evidence: 'duplicate-request',
    });
    expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(sandbox.requests()).toHaveLength(2);
    sandbox.deliverTo(second.webhookUrl);
    await sandbox.customer('255712345678').approve('order-1');
    expect(await storedEntry('collection', 'order-1')).toMatchObject({
      state: 'settled',
      outcome: 'success',
    });
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('finds a payment whose caller gave up before its probe, sends nothing more for it, and its webhook settles it', async () => {
    const patient = await start({ deadlineMs: 60_000 });
    sandbox.next(PAY).dropAfterProcessing();
    const caller = new AbortController();
    const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      caller.abort();
    });
    const options = { signal: caller.signal };
    expect(
      await lost(patient.collections.mobileMoney(collectionRequest, options)).finally(stop),
    ).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'aborted',
      mayHaveBeenProcessed: true,
    });
    const open: JournalEntry[] = [];
    for await (const entry of patient.journal.unresolved()) open.push(entry);
    expect(open).toMatchObject([{ reference: 'order-1', state: 'unknown', evidence: 'aborted' }]);
    now += 60_000 + 30_001;
    expect(await patient.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(sandbox.requests()).toHaveLength(1);
    sandbox.deliverTo(patient.webhookUrl);
    await sandbox.customer('255712345678').approve('order-1');
    expect(await storedEntry('collection', 'order-1')).toMatchObject({
      state: 'settled',
      outcome: 'success',
    });
  });

  it('leaves a payout that a crash cut off alone, and calls it interrupted', async () => {
    sandbox.next(PAY_OUT).hang();
    await crashDuring((options) => first.disbursements.mobileMoney(mobileRequest, options));
    now += OLD_ENOUGH;
    const second = await start();
    expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(await storedEntry('disbursement', 'salary-2')).toMatchObject({
      state: 'unknown',
      evidence: 'interrupted',
    });
    await expect(second.disbursements.mobileMoney(mobileRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'interrupted',
    });
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('probes a payout if that is configured', async () => {
    sandbox.next(PAY_OUT).dropBefore();
    await lost(first.disbursements.mobileMoney(mobileRequest));
    now += 60_000;
    const second = await start({ probe: { disbursements: { afterSilenceMs: 40_000 } } });
    expect(await second.journal.recover()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
    expect(sandbox.payouts()).toHaveLength(1);
  });

  it('probes nothing beyond the recovery window, and then erases the request', async () => {
    sandbox.next(PAY).dropBefore();
    await lost(first.collections.mobileMoney(collectionRequest));
    now += 900_001;
    expect(await first.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(sandbox.requests()).toHaveLength(1);
    const key = {
      account: 'default',
      environment: 'sandbox',
      family: 'collection',
      reference: 'order-1',
    } as const;
    expect((await storage.journal.get(key))?.record).not.toHaveProperty('body');
    expect(await storedEntry('collection', 'order-1')).toMatchObject({
      state: 'unknown',
      evidence: 'no-answer',
    });
  });

  it('leaves a payment alone whose call runs here, even if the clock jumps', async () => {
    sandbox.next(PAY).hang();
    const caller = new AbortController();
    const call = lost(first.collections.mobileMoney(collectionRequest, { signal: caller.signal }));
    await reached(() => first.journal.get('collection', 'order-1'));
    now += OLD_ENOUGH;
    expect(await first.journal.recover()).toMatchObject({ probed: 0 });
    caller.abort();
    await call;
  });

  it('lets one of many replicas probe', async () => {
    sandbox.next(PAY).dropBefore();
    await lost(first.collections.mobileMoney(collectionRequest));
    now += OLD_ENOUGH;
    const replicas = await Promise.all([start(), start(), start()]);
    const reports = await Promise.all(replicas.map(({ journal }) => journal.recover()));
    expect(reports.reduce((sum, { probed }) => sum + probed, 0)).toBe(1);
    expect(sandbox.payments()).toHaveLength(1);
    expect(sandbox.requests()).toHaveLength(2);
  });

  it('never makes a second probe, even if the process dies during the first', async () => {
    sandbox.next(PAY).dropBefore();
    await lost(first.collections.mobileMoney(collectionRequest));
    now += OLD_ENOUGH;
    sandbox.next(PAY).dropAfterProcessing();
    sandbox.on('payment', () => {
      first.crash();
    });
    await lost(first.journal.recover());
    now += OLD_ENOUGH;
    const second = await start();
    expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(sandbox.requests()).toHaveLength(2);
  });

  it('keeps the probe for later while the gateway cannot be reached', async () => {
    sandbox.next(PAY).dropBefore();
    await lost(first.collections.mobileMoney(collectionRequest));
    now += OLD_ENOUGH;
    const cutOff = await start({ http: { proxy: { protocol: 'http', host: '127.0.0.1', port: 9 } } });
    expect(await cutOff.journal.recover()).toEqual({ probed: 1, settled: 0, stillUnknown: 1 });
    now += 15_000;
    expect(await first.journal.recover()).toEqual({ probed: 1, settled: 1, stillUnknown: 0 });
  });

  it('does not call a payment refused because its probe is', async () => {
    sandbox.next(PAY).dropAfterProcessing();
    await lost(first.collections.mobileMoney(collectionRequest));
    now += OLD_ENOUGH;
    sandbox.next(PAY).status(422, { code: 'INVALID_PHONE' });
    expect(await first.journal.recover()).toEqual({ probed: 1, settled: 0, stillUnknown: 1 });
    expect(await storedEntry('collection', 'order-1')).toMatchObject({ evidence: 'refused-after-ambiguity' });
  });

  it('announces once that a payment has been open for too long', async () => {
    const heard: [string, JournalEntry][] = [];
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const listening = await startPaymentsApp(
      { ...sandbox.moduleOptions(), storage, staleAfterMs: 3_600_000, deadlineMs: DEADLINE_MS },
      [],
      [EventEmitterModule.forRoot({ wildcard: true })],
    );
    running.push(listening);
    listening.app.get(EventEmitter2).onAny((event, entry: JournalEntry) => {
      heard.push([String(event), entry]);
      throw new Error('a listener that throws');
    });
    await listening.collections.mobileMoney(collectionRequest);
    await listening.disbursements.mobileMoney(mobileRequest);
    now += 3_600_000;
    await listening.journal.recover();
    expect(heard).toEqual([]);
    now += 1;
    await Promise.all([listening.journal.recover(), listening.journal.recover()]);
    await first.journal.recover();
    await listening.journal.recover();
    expect(heard).toEqual([
      ['payment.stale', expect.objectContaining({ reference: 'order-1', state: 'accepted' })],
    ]);
    expect(error).toHaveBeenCalledWith(expect.stringContaining('payment.stale'));
    const stale = warn.mock.calls.flat().filter((line) => String(line).startsWith('Nothing was heard of'));
    expect(stale).toEqual([
      expect.stringMatching(
        /^Nothing was heard of collection\.mobile-money for the reference "order-1", accepted since .*Z: look it up .*settle\(\)\.$/,
      ),
    ]);
  });

  it('says that the storage failed, and nothing of its address', async () => {
    vi.spyOn(storage.journal, 'list').mockRejectedValue(
      new Error('connect ECONNREFUSED redis://user:secret@10.0.0.1'),
    );
    const error: unknown = await first.journal.recover().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'PaymentsStorageError' });
    expect(String(error)).not.toContain('secret');
  });
});

async function reached(look: () => Promise<unknown>): Promise<void> {
  while ((await look()) === undefined) await new Promise((resolve) => setImmediate(resolve));
}
