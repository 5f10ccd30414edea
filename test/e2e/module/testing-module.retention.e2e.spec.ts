import { afterEach, describe, expect, it } from 'vitest';
import { type DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  hmac,
  memoryStorage,
  PaymentsAccounts,
  PaymentsInbox,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, PaymentsTestingModule, signWebhook } from 'nestjs-payments/testing';

const DAY_MS = 86_400_000;
const baseUrl = 'https://gateway.example/api/v1';
const keys = { apiKey: 'pk_live_a', apiSecret: 'sk_live_a' };
const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });
const secrets = ['a-secret-of-some-length'];
const own = { scheme, expectRoute: false };

/** An option of a class, which has no field of its own. */
class ShortRetention {
  readonly scheme = scheme;
  readonly expectRoute = false;

  get retentionDays(): number {
    return 1;
  }
}

type Webhooks = Omit<NonNullable<PaymentsModuleOptions['webhooks']>, 'secrets'>;
interface Options {
  readonly storage: PaymentsStorage;
  readonly webhooks: Webhooks;
}

const registered = (options: Options): DynamicModule =>
  PaymentsModule.forRootAsync({
    useFactory: () => ({ baseUrl, ...keys, ...options }),
    webhooks: { secrets },
  });
const resolved = (options: Options): DynamicModule => {
  const resolve = () => ({ ...keys, webhooks: { secrets } });
  return PaymentsModule.forRoot({ baseUrl, ...options, accounts: { resolve } });
};

let running: TestingModule | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** How many outcomes a purge forgets so many days after the only webhook. */
async function purgedAfter(
  days: number,
  importsWith: (storage: PaymentsStorage) => readonly DynamicModule[],
  account?: string,
): Promise<number> {
  let ahead = 0;
  const storage = memoryStorage({ now: () => Date.now() + ahead });
  running = await Test.createTestingModule({ imports: [...importsWith(storage)] }).compile();
  const module = await running.init();
  const inbox =
    account === undefined ? module.get(PaymentsInbox) : module.get(PaymentsAccounts).for(account).inbox;
  const { webhooks } = module.get(PaymentsSandbox).moduleOptions();
  const [secret] = webhooks!.secrets;
  const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1' }));
  const headers = signWebhook({ scheme: webhooks!.scheme, secret: secret as string, body });
  expect(await inbox.receive(body, headers)).toMatchObject({ status: 200 });
  ahead = days * DAY_MS;
  return inbox.purge();
}

describe('the purge of an application under test', () => {
  it.each([
    [1, 1],
    [3, 0],
  ])('obeys retentionDays: %d of forRoot()', async (retentionDays, purged) => {
    const webhooks = { retentionDays, expectRoute: false };
    const imports = (storage: PaymentsStorage) => [PaymentsTestingModule.forRoot({ storage, webhooks })];
    expect(await purgedAfter(2, imports)).toBe(purged);
  });

  it.each<[string, Webhooks, number]>([
    ['retentionDays: 1 of', { ...own, retentionDays: 1 }, 1],
    ['the getter retentionDays of', new ShortRetention(), 1],
    ['retentionDays: 3 of', { ...own, retentionDays: 3 }, 0],
  ])('obeys %s the application', async (_, webhooks, purged) => {
    const testing = PaymentsTestingModule.forApplication();
    expect(await purgedAfter(2, (storage) => [registered({ storage, webhooks }), testing])).toBe(purged);
    await running?.close();
    const imports = (storage: PaymentsStorage) => [
      resolved({ storage, webhooks }),
      PaymentsTestingModule.forApplication(),
    ];
    expect(await purgedAfter(2, imports, 'shop')).toBe(purged);
  });

  it('obeys the retentionDays of forApplication() rather than those of the application', async () => {
    const webhooks = { ...own, retentionDays: Infinity };
    const overrides = { webhooks: { retentionDays: 1 } };
    const imports = (storage: PaymentsStorage) => [
      registered({ storage, webhooks }),
      PaymentsTestingModule.forApplication(overrides),
    ];
    expect(await purgedAfter(2, imports)).toBe(1);
  });

  it('forgets nothing if nobody names retentionDays, because the signature of the emulator holds no time', async () => {
    const forRoot = (storage: PaymentsStorage) => [PaymentsTestingModule.forRoot({ storage })];
    expect(await purgedAfter(400, forRoot)).toBe(0);
    await running?.close();
    const ofResolver = (storage: PaymentsStorage) => [
      resolved({ storage, webhooks: own }),
      PaymentsTestingModule.forApplication(),
    ];
    expect(await purgedAfter(400, ofResolver, 'shop')).toBe(0);
  });
});
