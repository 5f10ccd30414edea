import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { getEventListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';
import { OutcomeNotifier } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { OutcomeWaiter } from '../../../../lib/journal/outcomes/outcome-waiter.js';
import { type StatusResolver } from '../../../../lib/journal/outcomes/status-resolver.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { atOnce, endedAfter } from '../../../support/event-loop.js';
import { storedRecord } from '../../../support/stored-record.js';

/** Enough for the first steps on a busy machine. */
const LIMIT_MS = 250;
const LONG_MS = 60_000;
/** How long a read of the journal may last beyond the wait. */
const LAST_LOOK_MS = 500;
const accepted = storedRecord({ state: 'accepted' });
const turnedAway = storedRecord({ state: 'rejected', keepsKey: true });
const settled = storedRecord({ state: 'settled', outcome: 'success' });
const never = (): Promise<never> => new Promise(() => {});

describe('who waits for an outcome', () => {
  let get: Mock<() => Promise<StoredJournalRecord | undefined>>;
  let ask: Mock<StatusResolver['ask']>;
  let watch: OutcomeNotifier;
  let canAsk: boolean;
  let stopping: AbortController;

  const wait = (ms: number, signal?: AbortSignal) => {
    const status = { canAsk: () => canAsk, ask } as unknown as StatusResolver;
    const store = Object.assign(memoryStorage().journal, { get });
    const waiter = new OutcomeWaiter(store, watch, status, stopping.signal);
    return waiter.wait(accepted.record, performance.now() + ms, signal);
  };

  beforeEach(() => {
    canAsk = false;
    stopping = new AbortController();
    watch = new OutcomeNotifier();
    get = vi.fn(() => Promise.resolve(accepted));
    ask = vi.fn<StatusResolver['ask']>(never);
  });

  it('gets an error if the journal never answers', async () => {
    get.mockImplementation(never);
    await expect(endedAfter(LIMIT_MS + LAST_LOOK_MS, () => wait(LIMIT_MS))).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      reference: 'order-1',
    });
  });

  it('gets the earlier record if the journal no longer answers', async () => {
    get.mockResolvedValueOnce(accepted).mockImplementation(() => never());
    const waiting = endedAfter(LIMIT_MS + LAST_LOOK_MS, () => wait(LIMIT_MS));
    await new Promise(setImmediate);
    watch.changed(accepted.record);
    expect(await waiting).toEqual({ existing: accepted });
    expect(get).toHaveBeenCalledTimes(2);
  });

  it('gets a change in this process at once', async () => {
    get.mockResolvedValueOnce(accepted).mockResolvedValue(settled);
    const waiting = wait(LONG_MS);
    await new Promise(setImmediate);
    watch.changed(accepted.record);
    expect(await waiting).toEqual({ existing: settled });
  });

  it('waits on if the gateway only turned the payment away', async () => {
    get.mockResolvedValueOnce(turnedAway).mockResolvedValue(settled);
    const waiting = wait(LONG_MS);
    await new Promise(setImmediate);
    watch.changed(accepted.record);
    expect(await waiting).toEqual({ existing: settled });
    expect(get).toHaveBeenCalledTimes(2);
  });

  it('asks the gateway about a payment that it only turned away', async () => {
    canAsk = true;
    get.mockResolvedValue(turnedAway);
    ask.mockResolvedValue(settled);
    expect(await wait(LONG_MS)).toEqual({ existing: settled });
    expect(ask.mock.calls[0]?.[0]).toBe(turnedAway);
  });

  it('waits no longer for a payment that was refused for good', async () => {
    const refused = storedRecord({ state: 'rejected' });
    get.mockResolvedValue(refused);
    expect(await atOnce(wait(LONG_MS))).toEqual({ existing: refused });
  });

  it('asks the gateway for no longer than the wait, and gives the question up then', async () => {
    canAsk = true;
    expect(await endedAfter(LIMIT_MS, () => wait(LIMIT_MS))).toEqual({ existing: accepted });
    expect(ask).toHaveBeenCalledTimes(1);
    const [asked, limits] = ask.mock.calls[0]!;
    expect(asked).toBe(accepted);
    expect(limits).toMatchObject({ timeoutMs: limits?.deadlineMs });
    // With `retry: false`, no 401 would have the keys of the account looked up again.
    expect(limits).not.toHaveProperty('retry');
    expect(limits?.deadlineMs).toBeGreaterThan(0);
    expect(limits?.deadlineMs).toBeLessThanOrEqual(LIMIT_MS);
    expect(limits?.signal?.aborted).toBe(true);
  });

  it('gets a change in this process at once while the gateway is asked, and gives the question up', async () => {
    canAsk = true;
    get.mockResolvedValueOnce(accepted).mockResolvedValue(settled);
    const waiting = wait(LONG_MS);
    await new Promise(setImmediate);
    const [, limits] = ask.mock.calls[0]!;
    expect(limits).toMatchObject({ timeoutMs: 5_000, deadlineMs: 5_000 });
    expect(limits?.signal?.aborted).toBe(false);
    watch.changed(accepted.record);
    expect(await atOnce(waiting)).toEqual({ existing: settled });
    expect(limits?.signal?.aborted).toBe(true);
  });

  it('goes on with its question after a change that ends nothing', async () => {
    canAsk = true;
    let answer = (_existing: StoredJournalRecord): void => {};
    ask.mockImplementation(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const waiting = wait(LONG_MS);
    await new Promise(setImmediate);
    watch.changed(accepted.record);
    await new Promise(setImmediate);
    expect(get).toHaveBeenCalledTimes(2);
    answer(settled);
    expect(await atOnce(waiting)).toEqual({ existing: settled });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('gets an error of its question that came while the journal was read', async () => {
    canAsk = true;
    let fail = (_error: Error): void => {};
    let found = (_existing: StoredJournalRecord): void => {};
    ask.mockImplementation(
      () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
    );
    const waiting = expect(wait(LONG_MS)).rejects.toThrow('a bug');
    await new Promise(setImmediate);
    get.mockReturnValue(
      new Promise((resolve) => {
        found = resolve;
      }),
    );
    watch.changed(accepted.record);
    await new Promise(setImmediate);
    fail(new Error('a bug'));
    await new Promise(setImmediate);
    found(accepted);
    await waiting;
  });

  it('looks into the journal once more when the time is up', async () => {
    get.mockResolvedValueOnce(accepted).mockResolvedValue(settled);
    expect(await endedAfter(LIMIT_MS, () => wait(LIMIT_MS))).toEqual({ existing: settled });
    expect(get).toHaveBeenCalledTimes(2);
  });

  describe('by a clock of the test', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
      vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
    });
    afterEach(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });

    it('looks into the journal every second while the gateway is asked: another replica may get the webhook', async () => {
      canAsk = true;
      get.mockResolvedValueOnce(accepted).mockResolvedValue(settled);
      const waiting = wait(LONG_MS);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await waiting).toEqual({ existing: settled });
      expect(vi.getTimerCount()).toBe(0);
    });

    it('gets what a slow journal answers shortly after the time is up', async () => {
      get.mockResolvedValueOnce(accepted).mockImplementation(
        () =>
          new Promise((resolve) => {
            setTimeout(resolve, 200, settled);
          }),
      );
      const waiting = wait(500);
      await vi.advanceTimersByTimeAsync(450);
      watch.changed(accepted.record);
      await vi.advanceTimersByTimeAsync(200);
      expect(await waiting).toEqual({ existing: settled });
    });
  });

  it('gets what the gateway answers, without a look into the journal', async () => {
    canAsk = true;
    ask.mockResolvedValue(settled);
    expect(await wait(LONG_MS)).toEqual({ existing: settled });
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('stops with the signal, even if it makes the status query fail', async () => {
    canAsk = true;
    const controller = new AbortController();
    ask.mockImplementation(
      (_standing, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }),
    );
    const waiting = wait(LONG_MS, controller.signal);
    await new Promise(setImmediate);
    controller.abort('enough');
    expect(await waiting).toEqual({ existing: accepted, aborted: true });
  });

  describe('when the application stops', () => {
    it('waits no longer while the journal is read for the first time', async () => {
      get.mockImplementation(never);
      const waiting = wait(LONG_MS, new AbortController().signal);
      stopping.abort();
      expect(await atOnce(waiting)).toEqual({ aborted: true });
    });

    it('gets what the journal said last, while it is read again', async () => {
      get.mockResolvedValueOnce(accepted).mockImplementation(never);
      const waiting = wait(LONG_MS);
      await new Promise(setImmediate);
      watch.changed(accepted.record);
      await new Promise(setImmediate);
      expect(get).toHaveBeenCalledTimes(2);
      stopping.abort();
      expect(await atOnce(waiting)).toEqual({ existing: accepted, aborted: true });
    });

    it('gives its question up', async () => {
      canAsk = true;
      const waiting = wait(LONG_MS);
      await new Promise(setImmediate);
      stopping.abort();
      expect(await atOnce(waiting)).toEqual({ existing: accepted, aborted: true });
      expect(ask.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
    });

    it('reads nothing for a wait that begins afterwards', async () => {
      stopping.abort();
      expect(await atOnce(wait(LONG_MS))).toEqual({ aborted: true });
      expect(get).not.toHaveBeenCalled();
    });
  });

  it('leaves nothing on the signals', async () => {
    get.mockResolvedValue(settled);
    const { signal } = new AbortController();
    await wait(LONG_MS, signal);
    expect([signal, stopping.signal].map((one) => getEventListeners(one, 'abort').length)).toEqual([0, 0]);
  });

  it('gets the error of a status query that fails by itself', async () => {
    canAsk = true;
    ask.mockRejectedValue(new Error('a bug'));
    await expect(wait(LONG_MS, new AbortController().signal)).rejects.toThrow('a bug');
  });
});
