import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  memoryStorage,
  PaymentsAccounts,
  PaymentsAuthenticationError,
  PaymentsModule,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { BANK_PAYOUT } from '../../support/gateway-caller.js';
import { Merchants } from '../../support/merchants.js';
import { startSandbox } from '../../support/sandbox.js';

describe('keys that change while the application runs', () => {
  let sandbox: PaymentsSandbox;
  let merchants: Merchants;
  let app: INestApplicationContext;
  let accounts: PaymentsAccounts;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    merchants = new Merchants(['shop']);
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: sandbox.moduleOptions().baseUrl,
          retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
          storage: memoryStorage(),
          accounts: { resolve: merchants.keysOf, timeoutMs: 60_000 },
        }),
      ],
    }).compile();
    app = await module.init();
    accounts = app.get(PaymentsAccounts);
  });
  afterEach(async () => {
    await app.close();
    await sandbox.stop();
  });

  const pay = (reference: string, options: { retry?: false } = {}): Promise<unknown> =>
    accounts.for('shop').collections.mobileMoney(
      {
        reference,
        amount: '1180.50',
        phone: '255712345678',
        customer_name: 'Asha Mushi',
        customer_email: 'asha@example.com',
      },
      options,
    );
  const rotate = (): void => {
    merchants.rows.set('shop', sandbox.merchant('shop').rotateKeys());
  };
  const keysSent = (): readonly (string | undefined)[] =>
    sandbox.requests().map(({ status }) => (status === 401 ? 'refused' : 'taken'));

  it('are taken by 50 calls at once when the gateway revokes the old pair: none fails, and none pays twice', async () => {
    await pay('warm');
    const first = Array.from({ length: 25 }, (_, index) => pay(`order-${index}`));
    rotate();
    sandbox.merchant('shop').revokeOldKeys();
    const later = Array.from({ length: 25 }, (_, index) => pay(`order-${25 + index}`));
    await Promise.all([...first, ...later]);
    const references = sandbox
      .merchant('shop')
      .payments()
      .map(({ reference }) => reference);
    expect(references).toHaveLength(51);
    expect(new Set(references).size).toBe(51);
    expect(keysSent()).toContain('refused');
    // One for the first call, and one for all that were refused.
    expect(merchants.asked).toHaveLength(2);
    const keysOf = new Map<string, Set<unknown>>();
    for (const { body, headers } of sandbox.requests()) {
      const { reference } = body as { reference: string };
      keysOf.set(reference, (keysOf.get(reference) ?? new Set()).add(headers['idempotency-key']));
    }
    expect([...keysOf.values()].every((keys) => keys.size === 1)).toBe(true);
  });

  it('are asked for once by calls that are refused while the resolver is asked', async () => {
    await pay('order-1');
    rotate();
    sandbox.merchant('shop').revokeOldKeys();
    merchants.before = async () => {
      await eventually(() => {
        expect(keysSent().filter((keys) => keys === 'refused')).toHaveLength(3);
      });
      // Its answer comes after those of the three calls.
      await fetch(sandbox.baseUrl);
    };
    await Promise.all(['order-2', 'order-3', 'order-4'].map((reference) => pay(reference)));
    expect(merchants.asked).toHaveLength(2);
  });

  it('are used from the next call after forget()', async () => {
    await pay('order-1');
    rotate();
    sandbox.merchant('shop').revokeOldKeys();
    accounts.forget('shop');
    await pay('order-2');
    expect(keysSent()).toEqual(['taken', 'taken']);
  });

  it('that are still the same after a 401 are not tried again', async () => {
    await pay('order-1');
    sandbox.merchant('shop').rotateKeys();
    sandbox.merchant('shop').revokeOldKeys();
    await expect(pay('order-2')).rejects.toThrow(PaymentsAuthenticationError);
    expect(keysSent()).toEqual(['taken', 'refused']);
    expect(merchants.asked).toHaveLength(2);
  });

  it('are tried once, not forever: new keys that are refused too end the call', async () => {
    await pay('order-1');
    rotate();
    const { apiKey, apiSecret } = sandbox.merchant('shop').rotateKeys();
    sandbox.merchant('shop').revokeOldKeys();
    await expect(pay('order-2')).rejects.toThrow(PaymentsAuthenticationError);
    expect(keysSent()).toEqual(['taken', 'refused', 'refused']);
    merchants.rows.set('shop', { apiKey, apiSecret });
    accounts.forget('shop');
    await pay('order-2');
    expect(sandbox.merchant('shop').payments()).toHaveLength(2);
  });

  it('are not tried in a call without retries', async () => {
    await pay('order-1');
    rotate();
    sandbox.merchant('shop').revokeOldKeys();
    await expect(pay('order-2', { retry: false })).rejects.toThrow(PaymentsAuthenticationError);
    expect(keysSent()).toEqual(['taken', 'refused']);
  });

  it('of a call that runs stay what they were: forget() changes only the next one', async () => {
    await pay('order-1');
    sandbox.merchant('shop').next('POST /payments/mobile-money').delay(1_000);
    const running = pay('order-2');
    rotate();
    accounts.forget('shop');
    await pay('order-3');
    await sandbox.clock.advance('1s');
    await running;
    expect(keysSent()).toEqual(['taken', 'taken', 'taken']);
  });

  it('are not asked for after a 403, which says that they are right', async () => {
    await pay('order-1');
    sandbox.next('POST /payments/mobile-money').status(403);
    await expect(pay('order-2')).rejects.toThrow(PaymentsAuthenticationError);
    expect(merchants.asked).toHaveLength(1);
  });

  describe('and that a refused call waits for', () => {
    const reason = new Error('the customer left');
    let answer: () => void;

    beforeEach(async () => {
      await pay('order-1');
      rotate();
      sandbox.merchant('shop').revokeOldKeys();
      const answered = new Promise<void>((resolve) => (answer = resolve));
      merchants.before = () => answered;
    });

    /** Aborts a call that waits for the resolver, which answers afterwards. */
    const abort = async (call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
      const controller = new AbortController();
      const ended = call(controller.signal).catch((error: unknown) => error);
      await eventually(() => {
        expect(merchants.asked).toHaveLength(2);
      });
      controller.abort(reason);
      // The resolver has not answered.
      const end = await Promise.race([ended, fetch(sandbox.baseUrl).then(() => 'it still waits')]);
      answer();
      await accounts
        .for('shop')
        .nameLookup.lookup({ channel: 'MOBILE_MONEY', account_number: '255712345678' });
      return end;
    };

    it('do not keep a payout after its abort, which is refused in the journal and sent by the next call alone', async () => {
      const { disbursements, journal } = accounts.for('shop');
      const payout = { ...BANK_PAYOUT, amount: '1000' };
      expect(await abort((signal) => disbursements.bank(payout, { signal }))).toBe(reason);
      expect(await journal.get('disbursement', 'salary-1')).toMatchObject({ state: 'rejected', attempt: 1 });
      const sent = () => sandbox.requests().filter(({ path }) => path.endsWith('/disbursements/bank'));
      expect(sent().map(({ status }) => status)).toEqual([401]);
      await disbursements.bank(payout);
      expect(sent().map(({ status }) => status)).toEqual([401, 200]);
      expect(new Set(sent().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    });

    it('do not keep a read after its abort', async () => {
      expect(await abort((signal) => accounts.for('shop').wallet.balance({ signal }))).toBe(reason);
      const reads = sandbox.requests().filter(({ path }) => path.endsWith('/merchant-balance'));
      expect(reads.map(({ status }) => status)).toEqual([401]);
    });

    it('still come to another call, when the one that was refused first is aborted', async () => {
      const other = pay('order-3');
      expect(await abort((signal) => accounts.for('shop').wallet.balance({ signal }))).toBe(reason);
      expect(await other).toMatchObject({ reference: 'order-3' });
    });
  });

  it('that the resolver cannot give after a 401 leave the refusal as it is', async () => {
    await pay('order-1');
    rotate();
    sandbox.merchant('shop').revokeOldKeys();
    merchants.before = () => Promise.reject(new Error('no database'));
    await expect(pay('order-2')).rejects.toThrow(PaymentsAuthenticationError);
  });

  describe('that the gateway refuses for one operation only', () => {
    const lookUp = (): Promise<unknown> =>
      accounts.for('shop').nameLookup.lookup({ channel: 'MOBILE_MONEY', account_number: '255712345678' });
    const balance = (): Promise<unknown> => accounts.for('shop').wallet.balance();

    beforeEach(async () => {
      await balance();
      sandbox.next('POST /disbursements/name-lookup').status(401);
    });

    it('serve the others although the resolver fails at that moment', async () => {
      merchants.before = () => Promise.reject(new Error('no database'));
      await expect(lookUp()).rejects.toThrow(PaymentsAuthenticationError);
      expect(await balance()).toHaveProperty('available_balance');
      expect(merchants.asked).toHaveLength(2);
    });

    it('serve the others while the resolver is asked, and refused calls share its answer', async () => {
      sandbox.next('POST /disbursements/name-lookup').status(401);
      let answer: () => void = () => undefined;
      merchants.before = () => new Promise<void>((resolve) => (answer = resolve));
      const refused = [lookUp(), lookUp()].map((call) => call.catch((error: unknown) => error));
      await eventually(() => {
        expect(keysSent().filter((keys) => keys === 'refused')).toHaveLength(2);
        expect(merchants.asked).toHaveLength(2);
      });
      expect(await balance()).toHaveProperty('available_balance');
      answer();
      for (const error of await Promise.all(refused))
        expect(error).toBeInstanceOf(PaymentsAuthenticationError);
      await balance();
      expect(merchants.asked).toHaveLength(2);
    });

    it('are asked for again by the next call after forget(), also while the resolver is asked', async () => {
      const answers: (() => void)[] = [];
      merchants.before = () => new Promise<void>((resolve) => answers.push(resolve));
      const asked = async (times: number): Promise<void> => {
        await eventually(() => {
          expect(merchants.asked).toHaveLength(times);
        });
      };
      const looking = lookUp();
      await asked(2);
      rotate();
      sandbox.merchant('shop').revokeOldKeys();
      accounts.forget('shop');
      const reading = balance();
      await asked(3);
      for (const answer of answers) answer();
      expect(await reading).toHaveProperty('available_balance');
      expect(await looking).toHaveProperty('account_name');
      expect(merchants.asked).toHaveLength(3);
      expect(keysSent()).toEqual(['taken', 'refused', 'taken', 'taken']);
    });
  });
});
