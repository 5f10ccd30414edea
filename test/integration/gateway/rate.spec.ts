import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CALL_ATTEMPT_CHANNEL, onPaymentsDiagnostics, type PaymentsModuleOptions } from 'nestjs-payments';
import { bankRequest, collectionRequest, envelope } from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import {
  hang,
  json,
  startMisbehavingGateway,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

const banks = json(envelope([]));
const tooMany = (retryAfter?: string): Behaviour =>
  json({ message: 'Too many' }, 429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });

/** Time for whatever is under way in this process. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

describe('the calls of one account', () => {
  let gateway: MisbehavingGateway;
  let merchants: Merchant[];

  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<Merchant> => {
    const merchant = await startMerchant({ baseUrl: gateway.baseUrl, ...options });
    merchants.push(merchant);
    return merchant;
  };

  /** Resolves when the package has made sense of the next answer. */
  const nextAttempt = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
        stop();
        resolve();
      });
    });

  beforeEach(async () => {
    merchants = [];
    gateway = await startMisbehavingGateway();
  });

  afterEach(async () => {
    await gateway.close();
    await Promise.all(merchants.map((merchant) => merchant.close()));
  });

  describe('after a 429', () => {
    it('all wait for as long as the gateway asks, and then come through', async () => {
      const merchant = await start();
      const arrivals: number[] = [];
      const noted: Behaviour = (...exchange) => {
        arrivals.push(performance.now());
        banks(...exchange);
      };
      gateway.answer(tooMany('1'), noted);
      const limited = nextAttempt();
      const meets = merchant.banks.list();
      await limited;
      const limitedAt = performance.now();
      await Promise.all([meets, merchant.banks.list(), merchant.banks.list()]);
      expect(arrivals).toHaveLength(3);
      expect(Math.min(...arrivals) - limitedAt).toBeGreaterThan(900);
    });

    it.each([
      ['behind', -300_000],
      ['ahead', 300_000],
    ])('all wait until a date by the clock of the gateway, which is five minutes %s', async (_, skewMs) => {
      const merchant = await start();
      const there = Date.now() + skewMs;
      const inGateway = (ms: number): string => new Date(there + ms).toUTCString();
      gateway.answer(
        json({ message: 'Too many' }, 429, { date: inGateway(0), 'retry-after': inGateway(40_000) }),
      );
      await expect(merchant.banks.list({ deadlineMs: 20_000 })).rejects.toMatchObject({
        name: 'PaymentsRateLimitError',
        retryAfterMs: 40_000,
      });
      expect(gateway.seen).toHaveLength(1);
    });

    const tooLong: [what: string, retryAfter: () => string][] = [
      ['over a minute', () => '61'],
      ['of an absurd length', () => '9'.repeat(400)],
      ['until a date that is too far off', () => new Date(Date.now() + 90_000).toUTCString()],
    ];
    for (const [what, retryAfter] of tooLong) {
      it(`all reject at once for a wait ${what}, and nothing is sent`, async () => {
        const merchant = await start({ deadlineMs: 600_000 });
        gateway.answer(tooMany(retryAfter()));
        await expect(merchant.banks.list()).rejects.toMatchObject({
          name: 'PaymentsRateLimitError',
          httpStatus: 429,
        });
        const error: unknown = await merchant.disbursements
          .bank(bankRequest)
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          name: 'PaymentsRateLimitError',
          retryable: true,
          mayHaveBeenProcessed: false,
          reference: bankRequest.reference,
          attempts: [{ number: 1, phase: 'not-sent', code: 'HELD_BACK', durationMs: 0 }],
        });
        expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(59_000);
        expect(gateway.seen).toHaveLength(1);
      });
    }

    it('one whose deadline is too near rejects at once, and another account is not held', async () => {
      const merchant = await start();
      const other = await start();
      gateway.answer(tooMany('30'), banks);
      const limited = nextAttempt();
      const controller = new AbortController();
      const meets = merchant.banks.list({ signal: controller.signal });
      await limited;
      await expect(
        merchant.collections.mobileMoney(collectionRequest, { deadlineMs: 20_000 }),
      ).rejects.toMatchObject({ name: 'PaymentsRateLimitError' });
      await expect(other.banks.list()).resolves.toEqual([]);
      controller.abort('enough');
      await expect(meets).rejects.toBe('enough');
      expect(gateway.seen).toHaveLength(2);
    });

    it('all back off for a moment if the gateway names no wait', async () => {
      const merchant = await start();
      gateway.answer(tooMany(), tooMany('soon'), banks);
      const results = await Promise.all([merchant.banks.list(), merchant.banks.list()]);
      expect(results).toEqual([[], []]);
    });
  });

  describe('under the rate option', () => {
    it('are never more at once than the cap', async () => {
      const merchant = await start({ rate: { concurrency: 2 } });
      const held: Parameters<Behaviour>[] = [];
      let most = 0;
      gateway.answer((...exchange) => {
        held.push(exchange);
        most = Math.max(most, held.length);
        if (held.length !== 2) return;
        void turns(20).then(() => {
          for (const each of held.splice(0)) banks(...each);
        });
      });
      await Promise.all(Array.from({ length: 8 }, () => merchant.banks.list()));
      expect(most).toBe(2);
    });

    it('go in the order in which they were made', async () => {
      const merchant = await start({ rate: { concurrency: 1 } });
      gateway.answer(json({ status: 'error', code: 'INVALID_BANK', message: 'No' }, 422));
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.allSettled(
        keys.map((idempotencyKey) =>
          merchant.disbursements.bank({ ...bankRequest, reference: idempotencyKey }, { idempotencyKey }),
        ),
      );
      expect(gateway.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(keys);
    });

    it('begin no more often within a second than the cap', async () => {
      const merchant = await start({ rate: { perSecond: 2 } });
      gateway.answer(banks);
      const startedAt = performance.now();
      await Promise.all([merchant.banks.list(), merchant.banks.list(), merchant.banks.list()]);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    });

    it('reject with the reason of an abort in the queue, and nothing is sent', async () => {
      const merchant = await start({ rate: { concurrency: 1 } });
      gateway.answer(hang);
      const running = new AbortController();
      const first = merchant.banks.list({ signal: running.signal });
      await gateway.arrived(1);
      const queued = new AbortController();
      const second = merchant.disbursements.bank(bankRequest, { signal: queued.signal });
      queued.abort('enough');
      await expect(second).rejects.toBe('enough');
      running.abort('over');
      await expect(first).rejects.toBe('over');
      expect(gateway.seen).toHaveLength(1);
    });

    it('reject when their time is up in the queue, and nothing is sent', async () => {
      const merchant = await start({ rate: { concurrency: 1 } });
      gateway.answer(hang);
      const running = new AbortController();
      const first = merchant.banks.list({ signal: running.signal });
      await gateway.arrived(1);
      await expect(merchant.disbursements.bank(bankRequest, { deadlineMs: 1_020 })).rejects.toMatchObject({
        name: 'GatewayUnreachableError',
        mayHaveBeenProcessed: false,
        attempts: [{ number: 1, phase: 'not-sent', code: 'QUEUE_TIMEOUT', durationMs: 0 }],
      });
      running.abort('over');
      await expect(first).rejects.toBe('over');
      expect(gateway.seen).toHaveLength(1);
    });

    it('give their place to the next one however they end', async () => {
      const merchant = await start({ rate: { concurrency: 1 } });
      const givenUp = new AbortController();
      // Not before the gateway has the call: the next one would get its answer.
      const giveUp = (): void => {
        givenUp.abort();
      };
      const breakOff: Behaviour = (_response, socket) => socket.destroy();
      gateway.answer(giveUp, breakOff, json({ message: 'No' }, 400), banks);
      const calls = [
        merchant.banks.list({ signal: givenUp.signal, retry: false }),
        merchant.banks.list({ retry: false }),
        merchant.banks.list(),
        merchant.banks.list(),
      ];
      const ends = await Promise.allSettled(calls);
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
    });
  });
});
