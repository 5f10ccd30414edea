import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveriesAtOnce, DeliveryPermit } from '../../../../lib/storage/sql/delivery-permit.js';

describe('deliveriesAtOnce()', () => {
  it.each([
    [undefined, 5],
    [0.5, 1],
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [10, 5],
    [21, 10],
    [Infinity, Infinity],
  ])('of a pool of %s connections are %s', (poolSize, atOnce) => {
    expect(deliveriesAtOnce(poolSize)).toBe(atOnce);
  });
});

describe('DeliveryPermit', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('refuses who waits as long as a connection may take, as a pool without one does', async () => {
    const pool = {};
    await DeliveryPermit.acquire(pool, 2);
    const refused = expect(DeliveryPermit.acquire(pool, 2)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining(
        'waiting for the connection of the pool that webhook deliveries may hold',
      ) as unknown,
    });
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
  });

  it('releases its permit once, however often it is asked to', async () => {
    const pool = {};
    const first = await DeliveryPermit.acquire(pool, 2);
    const second = DeliveryPermit.acquire(pool, 2);
    first.release();
    first.release();
    await second;
    const third = expect(DeliveryPermit.acquire(pool, 2)).rejects.toThrow('Timed out');
    await vi.advanceTimersByTimeAsync(4_000);
    await third;
  });

  it('says how many may hold a connection', async () => {
    const pool = {};
    for (let delivery = 1; delivery <= 5; delivery += 1) await DeliveryPermit.acquire(pool, undefined);
    const refused = expect(DeliveryPermit.acquire(pool, undefined)).rejects.toThrow(
      'one of the 5 connections',
    );
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
  });

  it('lets one delivery at a time pass that a handler of the same pool causes', async () => {
    const pool = {};
    const outer = await DeliveryPermit.acquire(pool, 2);
    const acquire = (): Promise<DeliveryPermit> => outer.runHandlers(() => DeliveryPermit.acquire(pool, 2));
    const inner = await acquire();
    const passed = vi.fn();
    const next = acquire();
    void next.then(passed);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(passed).not.toHaveBeenCalled();
    inner.release();
    (await next).release();
    // Its own handlers may cause one as well.
    const again = await acquire();
    await again.runHandlers(() => DeliveryPermit.acquire(pool, 2));
  });

  it('lets nothing pass that still runs when the delivery has ended, nor what a handler of another pool causes', async () => {
    const pool = {};
    const over = await DeliveryPermit.acquire(pool, 2);
    over.release();
    await DeliveryPermit.acquire(pool, 2);
    const other = await DeliveryPermit.acquire({}, 2);
    const refused = [over, other].map((outer) =>
      expect(outer.runHandlers(() => DeliveryPermit.acquire(pool, 2))).rejects.toThrow('Timed out'),
    );
    await vi.advanceTimersByTimeAsync(4_000);
    await Promise.all(refused);
  });

  it('counts by the size that one of the storages says, also if another one does not know it', async () => {
    const pool = {};
    for (let delivery = 1; delivery <= 5; delivery += 1) await DeliveryPermit.acquire(pool, undefined);
    await DeliveryPermit.acquire(pool, 12);
    const refused = expect(DeliveryPermit.acquire(pool, undefined)).rejects.toThrow(
      'one of the 6 connections',
    );
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
  });

  it('lets deliveries of another pool pass', async () => {
    await DeliveryPermit.acquire({}, 2);
    await DeliveryPermit.acquire({}, 2);
  });
});
