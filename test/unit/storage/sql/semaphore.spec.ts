import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Semaphore } from '../../../../lib/storage/sql/semaphore.js';

const late = (): Error => new Error('late');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a permit is given to those who wait in the order of asking', async () => {
  const semaphore = new Semaphore(1);
  const order: string[] = [];
  await semaphore.acquire(1_000, late);
  const others = ['second', 'third'].map((name) =>
    semaphore.acquire(1_000, late).then(() => order.push(name)),
  );
  expect(order).toEqual([]);
  semaphore.release();
  await others[0];
  expect(order).toEqual(['second']);
  semaphore.release();
  await others[1];
  semaphore.release();
  await semaphore.acquire(1_000, late);
  expect(vi.getTimerCount()).toBe(0);
});

it('who waits too long gets an error and no permit', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(1_000, late);
  const refused = expect(semaphore.acquire(1_000, late)).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  const next = semaphore.acquire(1_000, late);
  semaphore.release();
  await next;
});

it('so many have a permit at once', async () => {
  const semaphore = new Semaphore(2);
  await Promise.all([semaphore.acquire(1_000, late), semaphore.acquire(1_000, late)]);
  const refused = expect(semaphore.acquire(1_000, late)).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  semaphore.release();
  await semaphore.acquire(1_000, late);
  expect(vi.getTimerCount()).toBe(0);
});
