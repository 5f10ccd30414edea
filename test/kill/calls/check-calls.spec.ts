import { expect, it } from 'vitest';
import { type Line } from '../history.js';
import { type Said } from './call-history.js';
import { checkCalls, missingCallTroubles } from './check-calls.js';

const reference = 'order-1';
const calling = (at: number, call = 1, life = '1.1'): Line => ({
  what: 'calling',
  reference,
  call,
  at,
  life,
});
const told = (at: number, said: Said, call = 1, life = '1.1'): Line => ({
  what: 'told',
  reference,
  call,
  said,
  at,
  life,
});
const moved = (at: number, key = 'a'): Line => ({ what: 'moved', reference, key, at, life: 'runner' });
const killed = (at: number, life = '1.1'): Line => ({ what: 'killed', point: 'at random', at, life });

function faults(lines: readonly Line[], state?: string, listed = false): string[] {
  return checkCalls({
    references: [reference],
    fenced: [],
    lines,
    states: new Map(state === undefined ? [] : [[reference, state]]),
    unresolved: new Set(listed ? [reference] : []),
  }).map((fault) => fault.slice(reference.length + 1));
}

it.each<[name: string, lines: readonly Line[], state: string | undefined, listed: boolean]>([
  ['accepted', [calling(0), moved(1), told(2, 'accepted')], 'accepted', false],
  ['refused', [calling(0), told(2, 'rejected')], 'rejected', false],
  [
    'refused, asked for again and made',
    [calling(0), told(2, 'rejected'), calling(3, 2), moved(4), told(5, 'accepted', 2)],
    'accepted',
    false,
  ],
  ['unknown, made and listed', [calling(0), moved(1), told(2, 'unknown')], 'unknown', true],
  [
    'made by a process that died',
    [calling(0), killed(1), calling(2, 2, '2.1'), told(3, 'in flight', 2, '2.1'), moved(4)],
    'unknown',
    true,
  ],
  ['not sent', [calling(0), told(1, 'not sent')], undefined, false],
  [
    'refused, and made by the next call before the first one, which stood still, could say so',
    [calling(0), calling(8, 2, '2.1'), moved(9), told(10, 'accepted', 2, '2.1'), told(12, 'rejected')],
    'accepted',
    false,
  ],
  [
    'not sent beside a call that is made',
    [calling(0, 2, '2.1'), calling(1), told(2, 'not by this call'), moved(3), told(4, 'accepted', 2, '2.1')],
    'accepted',
    false,
  ],
])('finds no fault if a payment is %s', (_, lines, state, listed) => {
  expect(faults(lines, state, listed)).toEqual([]);
});

it.each<[fault: string, lines: readonly Line[], state: string | undefined]>([
  [
    'has 2 effects',
    [calling(0), moved(1), told(2, 'accepted'), calling(3, 2), moved(4, 'b'), told(5, 'accepted', 2)],
    'accepted',
  ],
  ['was accepted without an effect', [calling(0), told(1, 'accepted')], undefined],
  ['was called rejected after its effect', [calling(0), moved(1), told(2, 'rejected')], 'unknown'],
  [
    'was called rejected after its effect',
    [calling(0), moved(1), told(2, 'unknown'), calling(3, 2, '2.1'), told(4, 'rejected', 2, '2.1')],
    'unknown',
  ],
  [
    'was called rejected after its effect',
    [calling(0), moved(1), killed(2), calling(3, 2, '2.1'), told(4, 'rejected', 2, '2.1')],
    'unknown',
  ],
  [
    'was called rejected after its effect',
    [calling(0), moved(1), calling(2, 2, '2.1'), told(3, 'in flight', 2, '2.1'), told(4, 'rejected')],
    'unknown',
  ],
  ['was called not sent after its effect', [calling(0), moved(1), told(2, 'not sent')], 'unknown'],
  [
    'was called not sent before an effect that nobody asked for',
    [calling(0), told(1, 'not sent'), moved(9)],
    'unknown',
  ],
  [
    'was called not sent before an effect that nobody asked for',
    [calling(0, 1), killed(1), calling(2, 2, '2.1'), told(3, 'not sent', 2, '2.1'), moved(9)],
    'unknown',
  ],
  [
    'was called not by this call before an effect that nobody asked for',
    [calling(0), told(1, 'not by this call'), calling(2, 2), told(3, 'in flight', 2), moved(9)],
    'unknown',
  ],
  [
    'has an effect, and the journal does not know of it',
    [calling(0), moved(1), told(2, 'unknown')],
    undefined,
  ],
  [
    'has an effect, and the journal calls it rejected',
    [calling(0), moved(1), told(2, 'unknown')],
    'rejected',
  ],
  ['has no effect, and the journal calls it accepted', [calling(0), told(2, 'unknown')], 'accepted'],
  ['is unknown and nobody lists it', [calling(0), told(2, 'unknown')], 'unknown'],
])('shows that a payment %s', (fault, lines, state) => {
  expect(faults(lines, state)).toContain(fault);
});

it('shows that a payment whose process stood still was taken over by nobody', () => {
  const evidence = (lines: readonly Line[]): string[] =>
    checkCalls({
      references: [reference],
      fenced: [reference],
      lines,
      states: new Map([[reference, 'accepted']]),
      unresolved: new Set(),
    });
  expect(evidence([calling(0), told(2, 'unknown')])).toContain(`${reference} was taken over by nobody`);
  expect(evidence([calling(0), moved(1), told(2, 'accepted')])).toEqual([]);
});

it('finds kills, stops and broken requests that were planned and did not happen', () => {
  const stopped: Line = { what: 'stopped', point: 'at random', at: 0, life: '1.1' };
  const broken: Line = {
    what: 'journal broken',
    reference,
    fault: 'answer lost',
    place: 1,
    at: 0,
    life: 'runner',
  };
  const atTheEnd: Line = { what: 'killed', point: 'at the end', at: 0, life: '1.1' };
  expect(missingCallTroubles({ kills: 1, stalls: 1 }, [killed(0), stopped, broken, atTheEnd])).toEqual([]);
  expect(missingCallTroubles({ kills: 2, stalls: 1 }, [atTheEnd, killed(0)])).toEqual([
    '1 instead of 2 kills at random',
    '0 instead of 1 stops at random',
    'the network broke no request of the journal',
  ]);
});
