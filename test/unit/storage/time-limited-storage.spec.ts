import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { type ClaimResult } from '../../../lib/storage/inbox-store.js';
import { type PaymentsStorage } from '../../../lib/storage/payments-storage.js';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';
import { timeLimited } from '../../../lib/storage/time-limited-storage.js';
import { libraryTimers } from '../../support/library-timers.js';
import { conflictContract } from '../../support/conflict-contract.js';
import { claimed, inboxContract, inboxDelivery, inboxKey } from '../../support/inbox-contract.js';
import { journalContract, journalRecord } from '../../support/journal-contract.js';

const SCOPE = { account: 'default', environment: 'sandbox', family: 'collection' } as const;

/** A storage whose answers can be held back. */
class SlowStorage {
  readonly memory = memoryStorage();
  hangs = false;
  private held: (() => void)[] = [];

  readonly storage: PaymentsStorage = {
    name: 'slow',
    inbox: this.slow(this.memory.inbox),
    journal: this.slow(this.memory.journal),
    conflicts: this.slow(this.memory.conflicts),
  };

  /** What was held back happens now. */
  async wake(): Promise<void> {
    this.hangs = false;
    for (const happen of this.held.splice(0)) happen();
    await vi.advanceTimersByTimeAsync(0);
  }

  slow<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member = target[name as keyof Store];
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          if (this.hangs) await new Promise<void>((resolve) => this.held.push(resolve));
          const result: unknown = await member.apply(target, args);
          const claim = (result as ClaimResult | undefined) ?? { result: 'done' };
          return claim.result === 'claimed' ? { ...claim, claim: this.slow(claim.claim) } : result;
        };
      },
    });
  }
}

it('lets a storage run the handlers, however long they take', async () => {
  const { inbox, ...memory } = memoryStorage();
  let runs = 0;
  const within = <T>(handlers: () => T): T => {
    runs += 1;
    return handlers();
  };
  const claim = async (...args: Parameters<typeof inbox.claim>): Promise<ClaimResult> => {
    const result = await inbox.claim(...args);
    return result.result === 'claimed' ? { ...result, claim: { ...result.claim, within } } : result;
  };
  const limited = timeLimited({ ...memory, name: 'remote', inbox: { ...inbox, claim } });
  const running = claimed(await limited.inbox.claim(inboxDelivery('order-1'), 60_000));
  expect(running.within?.(() => 'handled')).toBe('handled');
  expect(runs).toBe(1);
});

it('leaves a storage in this process as it is', () => {
  const memory = memoryStorage();
  expect(timeLimited(memory)).toBe(memory);
});

describe('a storage that may hang', () => {
  let slow: SlowStorage;
  let limited: ReturnType<typeof timeLimited>;
  const late = { name: 'PaymentsStorageError', message: 'The storage did not answer within 5000 ms.' };

  beforeEach(() => {
    vi.useFakeTimers();
    // Fake timers leave this clock running, and the milliseconds of a busy machine would shorten a limit.
    vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
    slow = new SlowStorage();
    limited = timeLimited(slow.storage);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it.each<[string, (storage: typeof limited) => Promise<unknown>]>([
    ['inbox.claim', ({ inbox }) => inbox.claim(inboxDelivery('order-1'), 60_000)],
    ['conflicts.list', ({ conflicts }) => conflicts.list(SCOPE, { limit: 1 })],
    ['conflicts.get', ({ conflicts }) => conflicts.get(SCOPE, '1')],
    ['conflicts.remove', ({ conflicts }) => conflicts.remove(SCOPE, 'id')],
    [
      'conflicts.setAside',
      ({ conflicts }) =>
        conflicts.setAside({
          ...SCOPE,
          kind: 'conflict',
          event: '',
          reference: '',
          fingerprint: '',
          payload: '',
        }),
    ],
    ['journal.insert', ({ journal }) => journal.insert(journalRecord('order-1'), 1)],
    ['journal.get', ({ journal }) => journal.get(journalRecord('order-1'))],
    ['journal.tombstone', ({ journal }) => journal.tombstone(journalRecord('order-1'))],
    [
      'journal.endTombstone',
      ({ journal }) =>
        journal.endTombstone(journalRecord('order-1'), { end: 'success', settledBy: 'webhook' }),
    ],
    ['journal.replace', ({ journal }) => journal.replace(1, journalRecord('order-1'), 1)],
    ['journal.remove', ({ journal }) => journal.remove(journalRecord('order-1'), 1)],
    ['journal.list', ({ journal }) => journal.list(SCOPE, ['accepted'], { limit: 1 })],
  ])('keeps nobody waiting longer than five seconds in %s', async (_what, call) => {
    slow.hangs = true;
    let end: unknown;
    call(limited).then(
      () => (end = 'answered'),
      (error: unknown) => (end = error),
    );
    await vi.advanceTimersByTimeAsync(4_999);
    expect(end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(end).toMatchObject(late);
  });

  it.each(['mark', 'finish', 'fail', 'withdraw'] as const)(
    'keeps nobody waiting in %s of a claim',
    async (what) => {
      const claim = claimed(await limited.inbox.claim(inboxDelivery('order-1'), 60_000));
      slow.hangs = true;
      const end = expect(claim[what]('Orders.paid')).rejects.toMatchObject(late);
      await vi.advanceTimersByTimeAsync(5_000);
      await end;
    },
  );

  it("keeps nobody waiting in the journal of a claim's transaction", async () => {
    const transactional: PaymentsStorage = {
      ...slow.storage,
      inbox: Object.assign(Object.create(slow.storage.inbox) as PaymentsStorage['inbox'], {
        claim: async (...args: Parameters<PaymentsStorage['inbox']['claim']>) => {
          const claim = claimed(await slow.storage.inbox.claim(...args));
          const parts = { transaction: 'open', journal: slow.storage.journal };
          return { result: 'claimed', claim: Object.assign(Object.create(claim) as typeof claim, parts) };
        },
      }),
    };
    const claim = claimed(await timeLimited(transactional).inbox.claim(inboxDelivery('order-1'), 60_000));
    expect(claim).toMatchObject({ transaction: 'open', attempt: 1, finished: [] });
    slow.hangs = true;
    const end = expect(claim.journal!.get(journalRecord('order-1'))).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(5_000);
    await end;
  });

  it('gives a claim neither a transaction nor a journal that the storage did not give it', async () => {
    const claim = claimed(await limited.inbox.claim(inboxDelivery('order-1'), 60_000));
    expect(Object.keys(claim).sort()).toEqual(['attempt', 'fail', 'finish', 'finished', 'mark', 'withdraw']);
  });

  it('gives a claim back that comes when nobody waits for it any more', async () => {
    slow.hangs = true;
    const claim = expect(limited.inbox.claim(inboxDelivery('order-1'), 60_000)).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(5_000);
    await claim;
    await slow.wake();
    expect(claimed(await limited.inbox.claim(inboxDelivery('order-1'), 60_000)).attempt).toBe(2);
  });

  it('keeps nobody waiting for a release longer than five seconds after the time is up', async () => {
    slow.hangs = true;
    let end: unknown;
    limited.inbox.waitForRelease(inboxKey('order-1'), 10_000).catch((error: unknown) => (end = error));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(end).toMatchObject(late);
  });

  it('may take its time to purge', async () => {
    slow.hangs = true;
    const ends = Promise.all([
      limited.inbox.purge(SCOPE, 1),
      limited.journal.purge(SCOPE, 'settled', 1),
      limited.conflicts.purge(SCOPE, 'unrecognized', 1),
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    await slow.wake();
    expect(await ends).toEqual([0, 0, 0]);
  });

  it('leaves no timer behind', async () => {
    const timers = libraryTimers();
    await limited.journal.get(journalRecord('order-1'));
    await expect(
      timeLimited({
        ...slow.storage,
        journal: { ...slow.storage.journal, get: () => Promise.reject(new Error('down')) },
      }).journal.get(journalRecord('order-1')),
    ).rejects.toThrow('down');
    expect(timers()).toBe(0);
    vi.restoreAllMocks();
  });
});

describe('a storage with time limits', () => {
  const open = () => {
    let now = 1_800_000_000_000;
    // A copy of a storage counts as one that may hang.
    const storage = timeLimited({ ...memoryStorage({ now: () => now }) });
    return { ...storage, pass: (ms: number): void => void (now += ms) };
  };

  describe('as an inbox', () => {
    inboxContract(open);
  });
  describe('as a store of conflicts', () => {
    conflictContract(open);
  });
  describe('as a journal', () => {
    journalContract(open);
  });
});
