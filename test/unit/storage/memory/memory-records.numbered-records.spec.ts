import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { NumberedRecords } from '../../../../lib/storage/memory/memory-records.js';

interface Numbered {
  record: { readonly state: string };
  readonly number: number;
  readonly createdAt: number;
}

const STATES = ['unknown', 'accepted', 'settled'] as const;
type Step =
  readonly ['add', string, number] | readonly ['move', number, string] | readonly ['remove', number];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('add' as const), fc.constantFrom(...STATES), fc.nat(9)) },
  fc.tuple(fc.constant('move' as const), fc.nat(), fc.constantFrom(...STATES)),
  fc.tuple(fc.constant('remove' as const), fc.nat()),
);

function play(records: NumberedRecords<Numbered>, model: Numbered[], [what, ...args]: Step): void {
  if (what === 'add') {
    const item = { record: { state: String(args[0]) }, number: records.next, createdAt: Number(args[1]) };
    records.add(item);
    model.push(item);
    return;
  }
  const at = Number(args[0]) % Math.max(1, model.length);
  const item = model[at];
  if (!item) return;
  const { state } = item.record;
  if (what === 'remove') {
    model.splice(at, 1);
    records.remove(item.number, state);
    return;
  }
  item.record = { state: String(args[1]) };
  records.stateChanged(item.number, state, item.record.state);
}

/** Numbers from 1 on, some of them moved on. */
function filled(size: number, stateOf: (number: number) => string): NumberedRecords<Numbered> {
  const records = new NumberedRecords<Numbered>();
  for (let number = 1; number <= size; number += 1)
    records.add({ record: { state: stateOf(number) }, number, createdAt: number });
  return records;
}

describe('records by the order in which they came', () => {
  it('are listed by state and time like those of a plain array, from any place on', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.nat(30),
        fc.subarray([...STATES]),
        fc.option(fc.nat(9), { nil: undefined }),
        (steps, after, wanted, from) => {
          const records = new NumberedRecords<Numbered>();
          const model: Numbered[] = [];
          for (const one of steps) play(records, model, one);
          const isWanted = (state: string): boolean => (wanted as readonly string[]).includes(state);
          const expected = model.filter(
            ({ record, number, createdAt }) =>
              number > after && isWanted(record.state) && (from === undefined || createdAt >= from),
          );
          expect([...records.after(after, isWanted, from)]).toEqual(expected);
        },
      ),
    );
  });

  it('are found over the borders of their blocks', () => {
    const records = filled(5_000, (number) => (number % 1_000 === 0 ? 'unknown' : 'settled'));
    const found = [...records.after(1_000, (state) => state === 'unknown')];
    expect(found.map(({ number }) => number)).toEqual([2_000, 3_000, 4_000, 5_000]);
    const all = [...records.after(0, () => true)];
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
  });

  it('are looked at only if their block holds one that is wanted', () => {
    const records = filled(100_000, () => 'settled');
    let asked = 0;
    const found = records.after(0, () => {
      asked += 1;
      return false;
    });
    expect([...found]).toEqual([]);
    expect(asked).toBeLessThan(200);
  });

  it('are not looked at in a block whose records are all too old, also if the clock goes back', () => {
    const records = new NumberedRecords<Numbered>();
    const times = Array.from({ length: 9_000 }, (_, at) => (at === 5_000 ? 8_000 : Math.min(at, 6_000)));
    for (const createdAt of times) {
      records.add({ record: { state: 'settled' }, number: records.next, createdAt });
    }
    const asked = vi.fn(() => true);
    expect([...records.after(0, asked, 7_000)].map(({ number }) => number)).toEqual([5_001]);
    expect(asked.mock.calls.length).toBeLessThan(10);
  });

  it('are not looked at in a block that those wanted have left', () => {
    const records = new NumberedRecords<Numbered>();
    const items = Array.from({ length: 5_000 }, () => {
      const item: Numbered = { record: { state: 'unknown' }, number: records.next, createdAt: 0 };
      records.add(item);
      return item;
    });
    for (const item of items) {
      item.record = { state: 'settled' };
      records.stateChanged(item.number, 'unknown', 'settled');
    }
    const asked = vi.fn((state: string) => state === 'unknown');
    expect([...records.after(0, asked)]).toEqual([]);
    expect(asked.mock.calls.length).toBeLessThan(20);
  });

  it('ask nothing about records that were removed, and keep no block of them', () => {
    const records = filled(3_000, () => 'settled');
    for (let number = 1; number <= 3_000; number += 1) records.remove(number, 'settled');
    const isWanted = vi.fn(() => true);
    expect([...records.after(0, isWanted)]).toEqual([]);
    expect(isWanted).not.toHaveBeenCalled();
    expect(inspect(records)).toContain('blocks: Map(0)');
  });

  it('change nothing if a number has no record', () => {
    const records = filled(1, () => 'settled');
    records.stateChanged(5_000, 'settled', 'unknown');
    records.remove(5_000, 'settled');
    expect([...records.after(0, () => true)]).toHaveLength(1);
  });
});
