import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  memoryStorage,
  type PaymentsAccount,
  PaymentsAccounts,
  PaymentsAuthenticationError,
  PaymentsModule,
  type PaymentsResolverOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type MerchantServices } from '../../support/merchant.js';
import { Merchants } from '../../support/merchants.js';
import { MONEY_CALLS, READ_CALLS } from '../../support/operation-calls.js';
import { startSandbox } from '../../support/sandbox.js';

const AT_ONCE = 50;
const PATIENT = { interval: 1, timeout: 50_000 };
const MONEY = Object.values(MONEY_CALLS);
const READS = Object.values(READ_CALLS);
const KINDS = MONEY.length + READS.length;

let sandbox: PaymentsSandbox;
let merchants: Merchants;
let storage: PaymentsStorage;
let apps: INestApplicationContext[];

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
});
beforeEach(() => {
  merchants = new Merchants(['shop']);
  storage = memoryStorage();
  apps = [];
});
afterEach(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await sandbox.reset();
});
afterAll(async () => {
  await sandbox.stop();
});

/** One replica of the application. All share the storage and the table of merchants. */
async function replica(options: Partial<PaymentsResolverOptions> = {}): Promise<PaymentsAccounts> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        baseUrl: sandbox.moduleOptions().baseUrl,
        retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
        probe: false,
        storage,
        ...options,
        accounts: { resolve: merchants.keysOf, timeoutMs: 60_000 },
      }),
    ],
  }).compile();
  const app = await module.init();
  apps.push(app);
  return app.get(PaymentsAccounts);
}

const servicesOf = (account: PaymentsAccount): MerchantServices => ({
  ...account,
  collections: account.collections,
  disbursements: account.disbursements,
  names: account.nameLookup,
  wallet: account.wallet,
  banks: account.banks,
  journal: account.journal,
});

/** The call with a number, all operations in turn. The same number is the same call. */
async function call(replicas: readonly PaymentsAccounts[], number: number): Promise<unknown> {
  const services = servicesOf(replicas[number % replicas.length]!.for('shop'));
  const kind = number % KINDS;
  const fields = { reference: `order-${number}`, amount: '100' };
  return kind < MONEY.length ? MONEY[kind]!(services, fields) : READS[kind - MONEY.length]!(services, fields);
}

const calls = (replicas: readonly PaymentsAccounts[], from: number, to: number): Promise<unknown>[] =>
  Array.from({ length: to - from }, (_, index) => call(replicas, from + index));

function revoke(): void {
  merchants.rows.set('shop', sandbox.merchant('shop').rotateKeys());
  sandbox.merchant('shop').revokeOldKeys();
}

const refused = (): number => sandbox.requests().filter(({ status }) => status === 401).length;

function checkEachMovedOnce(numbers: number): void {
  const shop = sandbox.merchant('shop');
  const moved = [...shop.payments(), ...shop.payouts()].map(({ reference }) => reference);
  const wanted = Array.from({ length: numbers }, (_, number) => number)
    .filter((number) => number % KINDS < MONEY.length)
    .map((number) => `order-${number}`);
  expect(moved.sort()).toEqual(wanted.sort());
  const keysOf = new Map<string, Set<unknown>>();
  for (const { body, headers } of sandbox.requests()) {
    const { reference } = (body ?? {}) as { readonly reference?: string };
    if (reference === undefined) continue;
    keysOf.set(reference, (keysOf.get(reference) ?? new Set()).add(headers['idempotency-key']));
  }
  expect([...keysOf.values()].every((keys) => keys.size === 1)).toBe(true);
}

it.each<readonly [string, number, (replicas: readonly PaymentsAccounts[]) => void]>([
  ['in one process', 1, () => undefined],
  [
    'while forget() is called again and again',
    1,
    ([one]) => {
      one!.forget('shop');
    },
  ],
  ['on two replicas with one storage', 2, () => undefined],
  [
    'on two replicas, of which one forgets the keys',
    2,
    ([one]) => {
      one!.forget('shop');
    },
  ],
])(
  `${AT_ONCE} payouts, collections and reads at once outlive a rotation %s, and nothing is paid twice`,
  async (_, count, meanwhile) => {
    const replicas = await Promise.all(Array.from({ length: count }, () => replica()));
    await Promise.all(replicas.map((one) => one.for('shop').wallet.balance()));
    const first = calls(replicas, 0, AT_ONCE / 2);
    // Some have arrived with the old keys, and some are under way.
    await vi.waitUntil(() => sandbox.requests().length >= 5, PATIENT);
    revoke();
    meanwhile(replicas);
    const later = calls(replicas, AT_ONCE / 2, AT_ONCE);
    await vi.waitUntil(() => sandbox.requests().length >= AT_ONCE / 2, PATIENT);
    meanwhile(replicas);
    await Promise.all([...first, ...later]);
    checkEachMovedOnce(AT_ONCE);
    // Every answer is in the journal, which the other replica reads: nothing is sent again.
    const sent = sandbox.requests().length;
    const again = Array.from({ length: AT_ONCE }, (__, number) => number).filter(
      (number) => number % KINDS < MONEY.length,
    );
    await Promise.all(again.map((number) => call([...replicas].reverse(), number)));
    expect(sandbox.requests()).toHaveLength(sent);
  },
);

it('calls that are refused while the resolver takes its time share one answer of it', async () => {
  const one = [await replica()];
  await call(one, KINDS - 1);
  revoke();
  merchants.before = async () => {
    await vi.waitUntil(() => refused() === 40, PATIENT);
  };
  await Promise.all(calls(one, 0, 40));
  checkEachMovedOnce(40);
  expect(merchants.asked).toHaveLength(2);
});

it('a resolver that returns the old keys once more lets the refused calls fail as not processed, and the same calls succeed then', async () => {
  const one = [await replica()];
  await call(one, KINDS - 1);
  const old = merchants.rows.get('shop')!;
  revoke();
  const next = merchants.rows.get('shop')!;
  merchants.rows.set('shop', old);
  const failures = await Promise.all(
    calls(one, 0, KINDS).map((work) => work.catch((error: unknown) => error)),
  );
  for (const error of failures) {
    expect(error).toBeInstanceOf(PaymentsAuthenticationError);
    expect(error).toMatchObject({ mayHaveBeenProcessed: false });
  }
  // Each of them asked once, with others or alone.
  expect(merchants.asked.length).toBeLessThanOrEqual(1 + KINDS);
  // A replica of the database has caught up. Nobody waits for cacheMs.
  merchants.rows.set('shop', next);
  await Promise.all(calls(one, 0, KINDS));
  checkEachMovedOnce(KINDS);
});

it('a probe that is refused for its keys leaves the payment unknown, and nothing is sent with the new ones', async () => {
  const waits = { afterAnswerMs: 1, afterSilenceMs: 1 };
  const one = [await replica({ probe: { collections: waits, disbursements: waits } })];
  await one[0]!.for('shop').wallet.balance();
  const collection = 0;
  sandbox.merchant('shop').next('POST /payments/mobile-money').dropAfterProcessing();
  // The exchange has ended for the gateway, and the probe has not begun.
  const stop = sandbox.on('exchange', () => {
    stop();
    revoke();
  });
  await expect(call(one, collection)).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    mayHaveBeenProcessed: true,
  });
  await expect(call(one, collection)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  checkEachMovedOnce(1);
  expect(refused()).toBe(1);
  expect(merchants.asked).toHaveLength(1);
  // Another payment continues with the new keys.
  await call(one, KINDS);
  expect(sandbox.merchant('shop').payments()).toHaveLength(2);
});
