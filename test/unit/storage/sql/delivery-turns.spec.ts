import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  deliveriesAtOnce,
  runWithTurn,
  takeDeliveryTurn,
} from '../../../../lib/storage/sql/delivery-turns.js';

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

describe('takeDeliveryTurn()', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('refuses who waits as long as a connection may take, as a pool without one does', async () => {
    const pool = {};
    await takeDeliveryTurn(pool, 2);
    const refused = expect(takeDeliveryTurn(pool, 2)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining(
        'in vain for the connection of the pool that webhook deliveries may hold',
      ) as unknown,
    });
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
  });

  it('gives a turn back once, however often it is asked to', async () => {
    const pool = {};
    const give = await takeDeliveryTurn(pool, 2);
    const second = takeDeliveryTurn(pool, 2);
    give();
    give();
    await second;
    const third = expect(takeDeliveryTurn(pool, 2)).rejects.toThrow('in vain');
    await vi.advanceTimersByTimeAsync(4_000);
    await third;
  });

  it('says how many may hold a connection', async () => {
    const pool = {};
    for (let delivery = 1; delivery <= 5; delivery += 1) await takeDeliveryTurn(pool, undefined);
    const refused = expect(takeDeliveryTurn(pool, undefined)).rejects.toThrow('one of the 5 connections');
    await vi.advanceTimersByTimeAsync(4_000);
    await refused;
  });

  it('lets a delivery pass that a handler of the same pool causes, and no other one', async () => {
    const pool = {};
    await takeDeliveryTurn(pool, 2);
    const give = await runWithTurn(pool, () => takeDeliveryTurn(pool, 2));
    give();
    const other = expect(runWithTurn({}, () => takeDeliveryTurn(pool, 2))).rejects.toThrow('in vain');
    await vi.advanceTimersByTimeAsync(4_000);
    await other;
  });

  it('lets deliveries of another pool pass', async () => {
    await takeDeliveryTurn({}, 2);
    await takeDeliveryTurn({}, 2);
  });
});
