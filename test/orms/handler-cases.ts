import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { deliverEvent } from '../support/deliver-event.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { type ExecutorDatabase } from './storage-contracts.js';

export const POOL_SIZE = 5;
const REFERENCE = 'order-1';

/** How the handlers of an application write with what they get as `context.transaction`. */
export interface HandlerWay<Handle> extends ExecutorDatabase {
  /** Adds one to what an account was credited. */
  credit(handle: Handle, reference: string): Promise<unknown>;
  /** Runs something in a nested transaction. */
  nested(handle: Handle, work: (inner: Handle) => Promise<unknown>): Promise<unknown>;
  /** Begins a nested transaction that nobody ends; absent if nobody can. */
  readonly leaveOpen?: (handle: Handle) => Promise<unknown>;
  /** A statement that fails, and spoils the transaction with it. */
  spoil(handle: Handle): Promise<unknown>;
  /** What a message says then. */
  readonly spoiled: string;
  /** A statement that takes longer than a handler that does not await it. */
  slow(handle: Handle): Promise<unknown>;
  /** Makes accounts that nobody has credited. */
  open(references: readonly string[]): Promise<unknown>;
  /** What all accounts were credited. */
  times(): Promise<readonly number[]>;
}

/** How a handler might end the transaction by itself. */
export type Ending<Handle> = readonly [what: string, end: (handle: Handle) => Promise<unknown>];

/** Runs what holds for every handler that writes in the transaction of its delivery. */
export function handlerCases<Handle>(
  openWay: () => Promise<HandlerWay<Handle>>,
  endings: readonly Ending<Handle>[],
): void {
  /** What the handler of a test does. */
  let handle: (handle: Handle, reference: string) => Promise<unknown>;
  let way: HandlerWay<Handle>;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;
  const errors = vi.fn<(message: string) => void>();

  @Injectable()
  class Accounts {
    @OnPayment('payment.success')
    async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext<Handle>): Promise<void> {
      await handle(transaction, data.reference);
    }
  }

  beforeEach(async () => {
    errors.mockClear();
    vi.spyOn(Logger.prototype, 'error').mockImplementation(errors);
    way = await openWay();
    await way.open([REFERENCE]);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const { executor, schema } = way;
    const storage = sqlStorage({ executor, transactional: true, ...(schema !== undefined && { schema }) });
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Accounts]);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await way.close();
  });

  const deliver = (reference = REFERENCE): Promise<number> => deliverEvent(payments, sandbox, reference);

  it.each<[how: string, write: typeof handle]>([
    ['by itself', (given, reference) => way.credit(given, reference)],
    [
      'in a nested transaction',
      (given, reference) => way.nested(given, (inner) => way.credit(inner, reference)),
    ],
  ])('counts once what it writes %s, though it throws after its write at first', async (_how, write) => {
    handle = async (given, reference) => {
      await write(given, reference);
      throw new Error('after the write');
    };
    expect([await deliver(), await deliver()]).toEqual([500, 500]);
    expect(await way.times()).toEqual([0]);
    handle = write;
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(await way.times()).toEqual([1]);
  });

  it('undoes a nested transaction that fails, and nothing else', async () => {
    handle = async (given, reference) => {
      await way.credit(given, reference);
      const failing = way.nested(given, async (inner) => {
        await way.credit(inner, reference);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await way.credit(given, reference);
    };
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([2]);
  });

  it('answers a burst of three times the size of the pool with 200, each counted once', async () => {
    const references = Array.from({ length: 3 * POOL_SIZE }, (_, index) => `burst-${index}`);
    await way.open(references);
    handle = (given, reference) => way.credit(given, reference);
    const answers = await Promise.all(references.map((reference) => deliver(reference)));
    expect(errors.mock.calls).toEqual([]);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect((await way.times()).filter((times) => times === 1)).toHaveLength(references.length);
  });

  it('commits nothing if it hides an error that spoils the transaction', async () => {
    handle = async (given, reference) => {
      await way.credit(given, reference);
      await way.spoil(given).catch(() => undefined);
    };
    expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain(way.spoiled);
    handle = (given, reference) => way.credit(given, reference);
    expect(await deliver()).toBe(200);
    expect((await way.times())[0]).toBe(1);
  });

  it('writes nothing after an error that spoils the transaction', async () => {
    handle = async (given, reference) => {
      await way.spoil(given).catch(() => undefined);
      await way.credit(given, reference).catch(() => undefined);
      throw new Error('after the write');
    };
    expect(await deliver()).toBe(500);
    expect((await way.times())[0]).toBe(0);
  });

  it('is answered 200 only if its write stays, though work that it left running spoils the transaction', async () => {
    let left: Promise<unknown> = Promise.resolve();
    handle = async (given, reference) => {
      await way.credit(given, reference);
      left = way.slow(given).then(() => way.spoil(given).catch(() => undefined));
    };
    const status = await deliver();
    await left;
    expect((await way.times())[0]).toBe(status === 200 ? 1 : 0);
  });

  it('commits nothing if a statement runs beside a nested transaction', async (context) => {
    if (!way.leaveOpen) {
      context.skip('it knows no nested transactions');
      return;
    }
    handle = async (given, reference) => {
      let end: (error: Error) => void = () => undefined;
      let failing: Promise<unknown> = Promise.resolve();
      await new Promise((resolve) => {
        failing = way.nested(given, async (inner) => {
          await way.credit(inner, reference);
          await new Promise((_resolve, reject) => {
            end = reject;
            resolve(undefined);
          });
        });
      });
      await expect(way.credit(given, reference)).rejects.toThrow('beside a nested transaction');
      await expect(way.nested(given, () => Promise.resolve())).rejects.toThrow('beside a nested transaction');
      end(new Error('no'));
      await expect(failing).rejects.toThrow('no');
    };
    expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain('beside a nested transaction');
    expect(await way.times()).toEqual([0]);
  });

  it('commits nothing if work of a nested transaction that failed goes on', async (context) => {
    if (!way.leaveOpen) {
      context.skip('it knows no nested transactions');
      return;
    }
    handle = async (given, reference) => {
      let goOn: (value: unknown) => void = () => undefined;
      let late: Promise<unknown> = Promise.resolve();
      const failing = way.nested(given, async (inner) => {
        late = new Promise((resolve) => (goOn = resolve)).then(() => way.credit(inner, reference));
        await Promise.reject(new Error('no'));
      });
      await expect(failing).rejects.toThrow('no');
      goOn(undefined);
      await expect(late).rejects.toThrow('beside a nested transaction');
    };
    expect(await deliver()).toBe(503);
    expect(await way.times()).toEqual([0]);
  });

  it.each(endings)('cannot end the transaction by %s, even if it hides the error', async (_what, end) => {
    handle = async (given, reference) => {
      await way.credit(given, reference);
      await expect(end(given)).rejects.toThrow('out of the handler');
    };
    expect([await deliver(), await deliver()]).toEqual([503, 503]);
    expect(errors.mock.calls.join()).toContain('out of the handler');
    expect(await way.times()).toEqual([0]);
  });

  it('commits nothing if it leaves a nested transaction open, and its connection serves the next one', async (context) => {
    const { leaveOpen } = way;
    if (!leaveOpen) {
      context.skip('nothing begins one');
      return;
    }
    handle = async (given, reference) => {
      await way.credit(given, reference);
      await leaveOpen(given);
    };
    for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(503);
    expect(await way.times()).toEqual([0]);
    handle = (given, reference) => way.credit(given, reference);
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([1]);
  });

  it.each([
    ['it succeeds', false, 200],
    ['it throws', true, 500],
  ])('leaves no work behind that writes later if %s', async (_how, fails, status) => {
    let refusal: Promise<unknown> = Promise.resolve();
    handle = (given, reference) => {
      // One statement after the other, until one is refused: none may come between the end and the release.
      const goOn = async (): Promise<never> => {
        for (;;) await way.credit(given, reference);
      };
      refusal = goOn().catch(String);
      return fails ? Promise.reject(new Error('no')) : Promise.resolve();
    };
    expect(await deliver()).toBe(status);
    expect(await refusal).toContain('is over');
    const after = await way.times();
    if (fails) expect(after).toEqual([0]);
    handle = () => Promise.resolve();
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual(after);
  });
}
