import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { withTimeout } from '../../../lib/common/timing.js';
import { InFlight, type InFlightCount, inFlightPlaces, mayBegin } from '../../../lib/common/in-flight.js';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('one more may begin', () => {
  it.each<[own: number, all: number, limit: number, isShared: boolean, may: boolean]>([
    [0, 0, 1, false, true],
    [1, 1, 1, false, false],
    [1, 2, 1, false, false],
    [999, 999, 1_000, false, true],
    [1_000, 1_000, 1_000, false, false],
    // What counts for nobody, such as late calls of the storage, takes places too.
    [0, 1_000, 1_000, false, false],
    // One account takes half, rounded up.
    [0, 0, 1, true, true],
    [1, 1, 2, true, false],
    [1, 1, 3, true, true],
    [499, 499, 1_000, true, true],
    [500, 500, 1_000, true, false],
    // The others still find places, each fewer than the one before.
    [0, 500, 1_000, true, true],
    [249, 749, 1_000, true, true],
    [250, 750, 1_000, true, false],
    [0, 999, 1_000, true, true],
    [0, 1_000, 1_000, true, false],
  ])('%j of its account and %j of all, limit %j, shared %j: %j', (own, all, limit, isShared, may) => {
    const count: InFlightCount = { own, all, limit, isShared };
    expect(mayBegin(count)).toBe(may);
  });
});

describe('a place', () => {
  it.each<[end: string, finish: (resolve: () => void, reject: (error: Error) => void) => void]>([
    [
      'resolves',
      (resolve) => {
        resolve();
      },
    ],
    [
      'rejects',
      (_, reject) => {
        reject(new Error('it failed'));
      },
    ],
  ])('is free again when its work %s, and not before', async (_, finish) => {
    const refused = vi.fn();
    const places = new InFlight(1, refused);
    let end = (): void => undefined;
    const work = places.begin(
      () =>
        new Promise<void>(
          (resolve, reject) =>
            (end = () => {
              finish(resolve, reject);
            }),
        ),
    );
    const second = vi.fn(() => Promise.resolve());
    expect(places.begin(second)).toBeUndefined();
    expect(second).not.toHaveBeenCalled();
    expect(refused).toHaveBeenCalledTimes(1);
    end();
    await Promise.allSettled([work]);
    await places.begin(second);
    expect(second).toHaveBeenCalledTimes(1);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it('is taken by work that has begun, even if there is none', async () => {
    const places = new InFlight(1);
    const ends: (() => void)[] = [];
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const held = [places.hold(work()), places.hold(work())];
    expect(places.begin(work)).toBeUndefined();
    ends[0]?.();
    await held[0];
    expect(places.begin(work)).toBeUndefined();
    ends[1]?.();
    await held[1];
    expect(places.begin(work)).toBeDefined();
  });

  it('is kept by what still runs after its work took too long, until that has ended, too', async () => {
    const places = new InFlight(1);
    let end = (): void => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const late = (): Error => new Error('it took too long');
    const twice = (): Promise<void> =>
      withTimeout(withTimeout(slow, performance.now(), late), performance.now() + 1_000, late);
    await expect(places.begin(twice)).rejects.toThrow('it took too long');
    expect(places.begin(twice)).toBeUndefined();
    end();
    await new Promise(setImmediate);
    expect(places.begin(() => Promise.resolve())).toBeDefined();
  });

  it('counts for its account and for all that share the limit', async () => {
    const all = new InFlight(4);
    const [flooding, other] = [all.share(), all.share()];
    const ends: (() => void)[] = [];
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const hasRoom = (places: InFlight): boolean => places.begin(work) !== undefined;
    const begun = [flooding, flooding, flooding, other, other].map(hasRoom);
    expect(begun).toEqual([true, true, false, true, false]);
    for (const end of ends) end();
    await new Promise(setImmediate);
    expect([flooding, flooding].map(hasRoom)).toEqual([true, true]);
  });
});

describe('a place of work that waits first', () => {
  const forever = (): Promise<never> => new Promise(() => undefined);

  it('counts once, and is the place of the work after the wait, although others took the rest', async () => {
    const all = new InFlight(4);
    const [flooding, other, last] = [all.share(), all.share(), all.share()];
    const found: (() => void)[] = [];
    const ends: (() => void)[] = [];
    const wait = (): Promise<void> => new Promise((resolve) => found.push(resolve));
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const begun = vi.fn(() => flooding.begin(work) ?? Promise.reject(new Error('refused')));
    const works = Array.from({ length: 3 }, () => flooding.beginAfter(wait, begun));
    expect(works.map((one) => one !== undefined)).toEqual([true, true, false]);
    expect([other, other, last, last].map((one) => one.begin(work) !== undefined)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    for (const end of found) end();
    await new Promise(setImmediate);
    expect(begun).toHaveBeenCalledTimes(2);
    expect(ends).toHaveLength(4);
    expect(all.begin(work)).toBeUndefined();
    for (const end of ends) end();
    await works[1];
    await new Promise(setImmediate);
    expect(Array.from({ length: 5 }, () => all.begin(forever) !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it.each<[end: string, wait: () => Promise<void>, next: () => Promise<void>]>([
    ['its wait fails', () => Promise.reject(new Error('it failed')), () => Promise.resolve()],
    ['the work needs none', () => Promise.resolve(), () => Promise.resolve()],
  ])('is free again if %s, and nobody else gets one too many', async (_, wait, next) => {
    const places = new InFlight(1);
    await places.beginAfter(wait, next)?.catch(() => undefined);
    expect([places.begin(forever), places.begin(forever)].map((one) => one !== undefined)).toEqual([
      true,
      false,
    ]);
  });

  it('is refused, and reported, if there is none', () => {
    const refused = vi.fn();
    const places = new InFlight(1, refused);
    void places.begin(forever);
    const wait = vi.fn(forever);
    expect(places.beginAfter(wait, forever)).toBeUndefined();
    expect(wait).not.toHaveBeenCalled();
    expect(refused).toHaveBeenCalledTimes(1);
  });
});

it('payments, reads and webhooks take no places of each other, and each refusal is told in the log', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const { payments, reads, webhooks } = inFlightPlaces(1, 2);
  const forever = (): Promise<never> => new Promise(() => undefined);
  const begun = [payments, reads, webhooks, webhooks].map((places) => places.begin(forever) !== undefined);
  expect(begun).toEqual([true, true, true, true]);
  expect([payments, reads, webhooks].map((places) => places.begin(forever))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(warn.mock.calls.map(([line]) => line as unknown)).toEqual([
    'Payments were refused at once with 503, because as many as maxInFlight, 1, allows are in flight.',
    'Calls that only read were refused at once with 503, because as many as maxInFlight, 1, allows are in flight.',
    'Webhooks were refused at once with 503, because as many as webhooks.maxInFlight, 2, allows are in flight.',
  ]);
});
