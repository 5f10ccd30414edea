import { describe, expect, it } from 'vitest';
import {
  changeOf,
  type Movement,
  movesBetween,
  type ReadingTime,
} from '../../../../lib/reconciliation/balance/movement.js';

const opening: ReadingTime = { askedAt: 100, answeredAt: 110 };
const closing: ReadingTime = { askedAt: 200, answeredAt: 210 };
const NEVER = Infinity;

type Case = readonly [
  what: string,
  direction: Movement['direction'],
  state: Movement['state'],
  from: number,
  to: number,
  least: number,
  most: number,
];

/** A payment of 90 to 100, because its fee is not known. */
const cases: readonly Case[] = [
  ['that never moved', 'in', 'none', 120, 150, 0, 0],
  ['that never moved', 'out', 'none', 50, NEVER, 0, 0],

  ['that moved between the readings', 'in', 'moved', 111, 199, 90, 100],
  ['that moved between the readings', 'out', 'moved', 111, 199, -100, -90],
  ['that moved before both', 'in', 'moved', 10, 99, 0, 0],
  ['that moved before both', 'out', 'moved', 10, 99, 0, 0],
  ['that moved after both', 'in', 'moved', 211, 250, 0, 0],
  ['that moved after both', 'out', 'moved', 211, 250, 0, 0],
  ['that moved before or after the opening', 'in', 'moved', 50, 150, 0, 100],
  ['that moved before or after the opening', 'out', 'moved', 50, 150, -100, 0],
  ['that moved before or after the closing', 'in', 'moved', 150, 250, 0, 100],
  ['that moved before or after the closing', 'out', 'moved', 150, 250, -100, 0],
  ['that moved at some time', 'in', 'moved', 50, 250, 0, 100],
  ['that moved at some time', 'out', 'moved', 50, 250, -100, 0],
  ['that moved while the opening was read', 'in', 'moved', 105, 106, 0, 100],
  ['that moved while the closing was read', 'out', 'moved', 205, 206, -100, 0],
  ['that moved in the millisecond of the answer of the opening', 'in', 'moved', 110, 110, 0, 100],
  ['that moved in the millisecond after it', 'in', 'moved', 111, 111, 90, 100],
  ['that moved in the millisecond in which the closing was asked for', 'in', 'moved', 200, 200, 0, 100],
  ['that moved in the millisecond before it', 'in', 'moved', 199, 199, 90, 100],

  ['open since before the opening', 'in', 'open', 50, NEVER, 0, 100],
  ['open since before the opening', 'out', 'open', 50, NEVER, -100, 100],
  ['open since the opening was read', 'out', 'open', 110, NEVER, -100, 100],
  ['open since after the opening', 'in', 'open', 111, NEVER, 0, 100],
  ['open since after the opening', 'out', 'open', 111, NEVER, -100, 0],
  ['open since the closing was read', 'in', 'open', 210, NEVER, 0, 100],
  ['open since the closing was read', 'out', 'open', 210, NEVER, -100, 0],
  ['open since after the closing', 'in', 'open', 211, NEVER, 0, 0],
  ['open since after the closing', 'out', 'open', 211, NEVER, 0, 0],

  ['that came back before the opening', 'out', 'returned', 50, 99, 0, 0],
  ['that came back after the opening', 'out', 'returned', 50, 150, 0, 100],
  ['that came back while the opening was read', 'out', 'returned', 50, 100, 0, 100],
  ['that came back between the readings', 'out', 'returned', 111, 199, 0, 0],
  ['that left between and came back after the closing', 'out', 'returned', 150, 250, -100, 0],
  ['that left and came back while the closing was read', 'out', 'returned', 205, 206, -100, 0],
  ['that left before the opening and came back after the closing', 'out', 'returned', 50, 250, -100, 100],
  ['that left after the closing', 'out', 'returned', 211, 250, 0, 0],
  ['that was taken back after the opening', 'in', 'returned', 50, 150, -100, 0],
  ['that was taken back after the closing', 'in', 'returned', 150, 250, 0, 100],
];

describe('the change by a payment', () => {
  it.each(cases)('%s (%s, %s from %d to %d)', (_what, direction, state, from, to, least, most) => {
    const movement = { direction, state, from, to, least: 90, most: 100 };
    expect(changeOf(movement, opening, closing)).toEqual({ least, most });
  });

  it('is a point if the fee is known and it moved between the readings', () => {
    const movement = { state: 'moved', from: 120, to: 130, least: 95, most: 95 } as const;
    expect(changeOf({ ...movement, direction: 'in' }, opening, closing)).toEqual({ least: 95, most: 95 });
    expect(changeOf({ ...movement, direction: 'out' }, opening, closing)).toEqual({ least: -95, most: -95 });
  });

  it('is certain only if it moved between the readings', () => {
    const certain = cases.filter(([, , state, from, to]) =>
      movesBetween({ state, from, to }, opening, closing),
    );
    expect(certain.map(([what]) => what)).toEqual([
      'that moved between the readings',
      'that moved between the readings',
      'that moved in the millisecond after it',
      'that moved in the millisecond before it',
    ]);
  });
});

/**
 * All that may happen within ticks, each of which four events divide: `quarter / 4` is the tick. Gives every change of the balance
 * that two readings may see.
 */
function possibleChanges(
  movement: Movement,
  open: ReadingTime,
  close: ReadingTime,
  ticks: number,
): Set<number> {
  const changes = new Set<number>();
  const add = (away: boolean, awayLater: boolean): void => {
    for (const size of [movement.least, movement.most]) {
      const sign = movement.direction === 'in' ? 1 : -1;
      changes.add(sign * size * (Number(awayLater) - Number(away)) + 0);
    }
  };
  const quarters = (from: number, to: number): number[] =>
    Array.from({ length: 4 * ticks }, (_, quarter) => quarter).filter(
      (quarter) => Math.floor(quarter / 4) >= from && Math.floor(quarter / 4) <= to,
    );
  const moves = quarters(movement.from, movement.to);
  const mayNotMove = movement.state !== 'moved';
  const mayStay = movement.state === 'moved' || movement.state === 'open';
  const mayReturn =
    movement.state === 'returned' || (movement.state === 'open' && movement.direction === 'out');
  for (const first of quarters(open.askedAt, open.answeredAt)) {
    for (const second of quarters(close.askedAt, close.answeredAt).filter((each) => each > first)) {
      if (mayNotMove) add(false, false);
      if (movement.state === 'none') continue;
      for (const moved of moves.filter((each) => each !== first && each !== second)) {
        if (mayStay) add(moved < first, moved < second);
        if (!mayReturn) continue;
        for (const back of moves.filter((each) => each > moved && each !== first && each !== second)) {
          add(moved < first && first < back, moved < second && second < back);
        }
      }
    }
  }
  return changes;
}

/** Each direction and state with all bounds from 0 to `ticks`. */
function* movements(ticks: number): Generator<Movement> {
  for (const direction of ['in', 'out'] as const) {
    for (const state of ['moved', 'returned', 'none', 'open'] as const) {
      for (let from = 0; from < ticks; from += 1) {
        if (state === 'open') yield { direction, state, from, to: NEVER, least: 2, most: 3 };
        for (let to = from; to < ticks; to += 1) yield { direction, state, from, to, least: 2, most: 3 };
      }
    }
  }
}

describe('the narrowest interval', () => {
  it.each([
    ['that take no time', { askedAt: 1, answeredAt: 1 }, { askedAt: 3, answeredAt: 3 }],
    ['that take time', { askedAt: 1, answeredAt: 2 }, { askedAt: 4, answeredAt: 5 }],
    ['right after each other', { askedAt: 1, answeredAt: 2 }, { askedAt: 2, answeredAt: 3 }],
    ['of which the first takes time', { askedAt: 1, answeredAt: 3 }, { askedAt: 4, answeredAt: 4 }],
    ['of which the second takes time', { askedAt: 2, answeredAt: 2 }, { askedAt: 3, answeredAt: 5 }],
  ])('holds what may happen, and both ends may, at readings %s', (_when, open, close) => {
    const ticks = 7;
    let compared = 0;
    for (const movement of movements(ticks)) {
      const changes = [...possibleChanges(movement, open, close, ticks + 1)];
      expect({ movement, ...changeOf(movement, open, close) }).toEqual({
        movement,
        least: Math.min(...changes),
        most: Math.max(...changes),
      });
      compared += 1;
    }
    expect(compared).toBe(238);
  });
});
