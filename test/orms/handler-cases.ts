import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import { OnPayment, type PaymentEventContext, type PaymentWebhookEvent } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { deliverEvent } from '../support/deliver-event.js';
import { patientLibrary } from '../support/patient-library.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments-app.js';
import { startSandbox } from '../support/sandbox.js';
import { type ExecutorDatabase } from './executor-contracts.js';

export const POOL_SIZE = 5;
const REFERENCE = 'order-1';

/** How the handlers of an application write with what they get as `context.transaction`. */
export interface HandlerWay<Handle> extends ExecutorDatabase {
  /** Adds one to what an account was credited. */
  credit(handle: Handle, reference: string): Promise<unknown>;
  /** Runs something in a nested transaction. */
  nested(handle: Handle, work: (inner: Handle) => Promise<unknown>): Promise<unknown>;
  /** The same with a handle that the code outside gets, which commits it. */
  readonly nestedByHand?: (handle: Handle, work: (inner: Handle) => Promise<unknown>) => Promise<unknown>;
  /** What becomes of a nested transaction beside another one that is open; absent if nobody follows them. */
  readonly besideNested?: 'waits' | 'is refused';
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

/** Why something failed. Some ORMs wrap the error. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'it was not refused',
    (reason: unknown) => reason,
  );
  return String((error as Error).cause ?? error);
}

/** A promise that somebody rejects later. */
function failing(): { readonly failed: Promise<never>; readonly fail: () => void } {
  let fail: () => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = () => {
      reject(new Error('no'));
    };
  });
  return { failed, fail };
}

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

  patientLibrary();
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
      const failed = way.nested(given, async (inner) => {
        await way.credit(inner, reference);
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      await way.credit(given, reference);
    };
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([2]);
  });

  it('keeps what nested transactions write one after the other, inside of another one, and by hand', async () => {
    handle = async (given, reference) => {
      await way.nested(given, async (outer) => {
        await way.credit(outer, reference);
        const failed = way.nested(outer, async (inner) => {
          await way.credit(inner, reference);
          throw new Error('no');
        });
        await expect(failed).rejects.toThrow('no');
        await way.credit(outer, reference);
        // Also through the handle outside of it.
        await way.credit(given, reference);
      });
      await way.nested(given, (inner) => way.credit(inner, reference));
      await way.nestedByHand?.(given, (inner) => way.credit(inner, reference));
    };
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([way.nestedByHand ? 5 : 4]);
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

  it('answers such a burst with 200 if each handler needs a second connection', async () => {
    const references = Array.from({ length: 3 * POOL_SIZE }, (_, index) => `burst-${index}`);
    await way.open(references);
    handle = async (given, reference) => {
      await way.credit(given, reference);
      await payments.journal.get('collection', reference);
    };
    const answers = await Promise.all(references.map((reference) => deliver(reference)));
    expect(errors.mock.calls).toEqual([]);
    expect(new Set(answers)).toEqual(new Set([200]));
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
    if (!way.besideNested) {
      context.skip('nobody follows its nested transactions');
      return;
    }
    handle = async (given, reference) => {
      const { failed, fail } = failing();
      let optional: Promise<unknown> = Promise.resolve();
      await new Promise((resolve) => {
        optional = way.nested(given, async (inner) => {
          await way.credit(inner, reference);
          resolve(undefined);
          await failed;
        });
      });
      // Even if the handler hides the error.
      expect(await refusalOf(way.credit(given, reference))).toContain('beside a nested transaction');
      fail();
      await expect(optional).rejects.toThrow('no');
    };
    expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain('beside a nested transaction');
    expect(await way.times()).toEqual([0]);
    handle = (given, reference) => way.credit(given, reference);
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([1]);
  });

  it('loses no write of a nested transaction beside another one that fails', async (context) => {
    const { besideNested } = way;
    if (!besideNested) {
      context.skip('nobody follows its nested transactions');
      return;
    }
    handle = async (given, reference) => {
      const { failed, fail } = failing();
      let first: Promise<unknown> = Promise.resolve();
      await new Promise((resolve) => {
        first = way.nested(given, async (inner) => {
          await way.credit(inner, reference);
          resolve(undefined);
          await failed;
        });
      });
      const second = way.nested(given, (inner) => way.credit(inner, reference));
      // The second one has asked for its savepoint by then.
      await Promise.all([
        way.executor.query('SELECT 1'),
        besideNested === 'is refused' && second.catch(() => undefined),
      ]);
      fail();
      const how = (await Promise.allSettled([first, second])).map(({ status }) => status);
      expect(how).toEqual(['rejected', besideNested === 'waits' ? 'fulfilled' : 'rejected']);
    };
    expect(await deliver()).toBe(besideNested === 'waits' ? 200 : 503);
    expect(await way.times()).toEqual([besideNested === 'waits' ? 1 : 0]);
  });

  it('refuses work of a nested transaction that continues after it has failed', async (context) => {
    const { besideNested } = way;
    if (!besideNested) {
      context.skip('nobody follows its nested transactions');
      return;
    }
    handle = async (given, reference) => {
      let goOn: (value: unknown) => void = () => undefined;
      let late: Promise<unknown> = Promise.resolve();
      const failed = way.nested(given, async (inner) => {
        late = new Promise((resolve) => (goOn = resolve)).then(() => way.credit(inner, reference));
        await Promise.reject(new Error('no'));
      });
      await expect(failed).rejects.toThrow('no');
      goOn(undefined);
      expect(await refusalOf(late)).toMatch(/beside a nested transaction|already complete/);
    };
    // An ORM that lets them wait knows by itself which ones have ended, and its refusal spoils nothing.
    expect(await deliver()).toBe(besideNested === 'waits' ? 200 : 503);
    expect(await way.times()).toEqual([0]);
  });

  it.each(endings)('cannot end the transaction by %s, even if it hides the error', async (_what, end) => {
    handle = async (given, reference) => {
      await way.credit(given, reference);
      expect(await refusalOf(end(given))).toContain('out of the handler');
    };
    for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(503);
    expect(errors.mock.calls.join()).toContain('out of the handler');
    expect(await way.times()).toEqual([0]);
    handle = (given, reference) => way.credit(given, reference);
    for (let delivery = 0; delivery <= POOL_SIZE; delivery += 1) expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual([1]);
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
    let refusal: Promise<string> = Promise.resolve('');
    handle = (given, reference) => {
      // One statement after the other, until one is refused: none may come between the end and the release.
      const goOn = async (): Promise<never> => {
        for (;;) await way.credit(given, reference);
      };
      refusal = refusalOf(goOn());
      return fails ? Promise.reject(new Error('no')) : Promise.resolve();
    };
    expect(await deliver()).toBe(status);
    expect(await refusal).toMatch(/is over|already complete|no longer use it/);
    const after = await way.times();
    if (fails) expect(after).toEqual([0]);
    handle = () => Promise.resolve();
    expect(await deliver()).toBe(200);
    expect(await way.times()).toEqual(after);
  });
}
