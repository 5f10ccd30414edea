import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { memoryStorage, PaymentsAccounts, PaymentsModule } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { BANK_PAYOUT } from '../../support/gateway-caller.js';
import { hearLeakWarnings } from '../../support/leak-warnings.js';
import { Merchants } from '../../support/merchants.js';
import { startSandbox } from '../../support/sandbox.js';
import { LogLines } from '../../support/webhook-app.js';

const OVERLOADED = { name: 'PaymentsOverloadError', code: 'OVERLOADED', retryable: true };
const PAYMENT = { ...OVERLOADED, mayHaveBeenProcessed: 'not-by-this-call' };
const READ = { ...OVERLOADED, mayHaveBeenProcessed: false };

describe('calls that wait for accounts.resolve', () => {
  let sandbox: PaymentsSandbox;
  let merchants: Merchants;
  let logs: LogLines;
  let app: INestApplicationContext;
  let accounts: PaymentsAccounts;
  /** Answers whatever the resolver was asked. */
  let answer: () => void;

  const start = async (maxInFlight: number): Promise<void> => {
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: sandbox.moduleOptions().baseUrl,
          maxInFlight,
          storage: memoryStorage(),
          accounts: { resolve: merchants.keysOf },
        }),
      ],
    })
      .setLogger(logs)
      .compile();
    app = await module.init();
    accounts = app.get(PaymentsAccounts);
  };
  const payOut = (account: string, reference: string, options = {}, more: object = {}): Promise<unknown> =>
    accounts
      .for(account)
      .disbursements.bank({ ...BANK_PAYOUT, amount: '1000', reference, ...more }, options)
      .catch((error: unknown) => error);
  const balance = (account: string): Promise<unknown> =>
    accounts
      .for(account)
      .wallet.balance()
      .catch((error: unknown) => error);
  /** The results of the calls that have ended already. */
  const ended = async (calls: readonly Promise<unknown>[]): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (const call of calls) void call.then((result) => results.push(result));
    await new Promise(setImmediate);
    return results;
  };
  const references = (): string[] =>
    sandbox
      .payouts()
      .map(({ reference }) => reference)
      .sort();

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    merchants = new Merchants(['shop', 'school', 'clinic']);
    logs = new LogLines();
    const answered = new Promise<void>((resolve) => (answer = resolve));
    merchants.before = () => answered;
  });
  afterEach(async () => {
    answer();
    await app.close();
    await sandbox.stop();
  });

  it('have places, and further ones are refused at once, before anything of them is read', async () => {
    await start(4);
    const read = vi.fn();
    const metadata = new Proxy({ order: 1 }, { ownKeys: (target) => (read(), Reflect.ownKeys(target)) });
    const payouts = Array.from({ length: 10 }, (_, index) => payOut('shop', `p-${index}`, {}, { metadata }));
    const refused = await ended(payouts);
    expect(refused).toHaveLength(8);
    for (const error of refused) expect(error).toMatchObject(PAYMENT);
    expect(read).toHaveBeenCalledTimes(2);
    expect(await ended([payOut('school', 'other')])).toEqual([]);
    answer();
    await Promise.all(payouts);
    await eventually(() => {
      expect(references()).toEqual(['other', 'p-0', 'p-1']);
    });
    expect(logs.of('warn').filter((line) => line.includes('maxInFlight, 4,'))).toHaveLength(1);
    expect(merchants.asked).toEqual(['shop', 'school']);
  });

  it('of those that only read have places beside those of payments', async () => {
    await start(2);
    const calls = [balance('shop'), balance('shop'), payOut('shop', 'p-1')];
    expect(await ended(calls)).toEqual([expect.objectContaining(READ)]);
    answer();
    expect(await calls[0]).toHaveProperty('available_balance');
    expect(await calls[2]).toMatchObject({ reference: 'p-1' });
  });

  it('end together with the signal that they share, and Node warns of no leak', async () => {
    await start(100);
    const warnings = hearLeakWarnings();
    const controller = new AbortController();
    const { signal } = controller;
    const payouts = Array.from({ length: 20 }, (_, index) => payOut('shop', `p-${index}`, { signal }));
    expect(await warnings()).toEqual([]);
    controller.abort('the shop closes');
    expect(new Set(await Promise.all(payouts))).toEqual(new Set(['the shop closes']));
    expect(references()).toEqual([]);
  });

  it('take no second place when they begin, and free theirs when they end', async () => {
    await start(1);
    const first = payOut('shop', 'p-1');
    answer();
    expect(await first).toMatchObject({ reference: 'p-1' });
    accounts.forget('shop');
    expect(await payOut('shop', 'p-2')).toMatchObject({ reference: 'p-2' });
    expect(await payOut('shop', 'p-3')).toMatchObject({ reference: 'p-3' });
  });

  it('all begin when the account is there, although others have taken the rest of the places', async () => {
    await start(4);
    const ofShop = ['p-1', 'p-2'].map((reference) => payOut('shop', reference));
    const ofOthers = ['school', 'clinic'].map((account) => payOut(account, 'p-1'));
    answer();
    for (const end of await Promise.all([...ofShop, ...ofOthers])) {
      expect(end).toMatchObject({ status: 'processing' });
    }
  });

  it('count together with those of the account that run', async () => {
    await start(2);
    merchants.before = () => undefined;
    sandbox.next('POST /disbursements/bank').delay(1_000);
    const running = payOut('shop', 'p-1');
    await eventually(() => {
      expect(sandbox.requests()).toHaveLength(1);
    });
    accounts.forget('shop');
    expect(await ended([payOut('shop', 'p-2')])).toEqual([expect.objectContaining(PAYMENT)]);
    expect(merchants.asked).toEqual(['shop']);
    await sandbox.clock.advance('1s');
    expect(await running).toMatchObject({ reference: 'p-1' });
  });

  it('free their places when their signal fires, and when the resolver fails', async () => {
    await start(1);
    const controller = new AbortController();
    const aborted = payOut('shop', 'p-1', { signal: controller.signal });
    expect(await ended([payOut('shop', 'p-2')])).toEqual([expect.objectContaining(PAYMENT)]);
    const reason = new Error('the customer left');
    expect(await payOut('shop', 'p-3', { signal: AbortSignal.abort(reason) })).toBe(reason);
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    merchants.before = () => Promise.reject(new Error('no database'));
    expect(await payOut('school', 'p-4')).toMatchObject({ code: 'ACCOUNT_UNAVAILABLE' });
    merchants.before = () => undefined;
    expect(await payOut('school', 'p-5')).toMatchObject({ reference: 'p-5' });
    expect(references()).toEqual(['p-5']);
  });

  it('and only enlist a payment need no place', async () => {
    await start(1);
    const request = { ...BANK_PAYOUT, amount: '1000', reference: 'p-0' };
    const enlisting = async (): Promise<unknown> =>
      accounts
        .for('shop')
        .disbursements.enlistBank({}, request)
        .catch((error: unknown) => error);
    const paying = payOut('shop', 'p-1');
    const calls = [enlisting(), enlisting()];
    expect(await ended(calls)).toEqual([]);
    answer();
    // The answer of the account: the storage has no transactions.
    const unable = expect.objectContaining({ name: 'PaymentsConfigError' }) as unknown;
    expect(await Promise.all(calls)).toEqual([unable, unable]);
    expect(await paying).toMatchObject({ reference: 'p-1' });
  });

  it('of the journal need no place', async () => {
    await start(1);
    const paying = payOut('shop', 'p-1');
    const looking = [1, 2, 3].map(() => accounts.for('shop').journal.get('disbursement', 'p-0'));
    expect(await ended(looking)).toEqual([]);
    answer();
    expect(await Promise.all(looking)).toEqual([undefined, undefined, undefined]);
    await paying;
  });
});
