import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Turns } from '../../../../lib/storage/sql/turns.js';

const late = (): Error => new Error('late');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a turn is given to those who wait in the order of asking', async () => {
  const turns = new Turns(1);
  const order: string[] = [];
  await turns.take(1_000, late);
  const others = ['second', 'third'].map((name) => turns.take(1_000, late).then(() => order.push(name)));
  expect(order).toEqual([]);
  turns.give();
  await others[0];
  expect(order).toEqual(['second']);
  turns.give();
  await others[1];
  turns.give();
  await turns.take(1_000, late);
  expect(vi.getTimerCount()).toBe(0);
});

it('who waits too long gets an error and no turn', async () => {
  const turns = new Turns(1);
  await turns.take(1_000, late);
  const refused = expect(turns.take(1_000, late)).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  const next = turns.take(1_000, late);
  turns.give();
  await next;
});

it('so many have a turn at once', async () => {
  const turns = new Turns(2);
  await Promise.all([turns.take(1_000, late), turns.take(1_000, late)]);
  const refused = expect(turns.take(1_000, late)).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  turns.give();
  await turns.take(1_000, late);
  expect(vi.getTimerCount()).toBe(0);
});
