import { describe, expect, it } from 'vitest';
import { LinkedList, type Linked } from '../../../../lib/storage/memory/memory-records.js';

interface Item extends Linked<Item> {
  readonly name: string;
}

const items = (): [Item, Item, Item] => [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const namesIn = (chain: LinkedList<Item>): string[] => [...chain].map(({ name }) => name);

describe('a chain', () => {
  it('holds nothing at first', () => {
    const chain = new LinkedList<Item>();
    expect(namesIn(chain)).toEqual([]);
    expect(chain.first).toBeUndefined();
  });

  it('keeps the order in which its items came', () => {
    const chain = new LinkedList<Item>();
    for (const item of items()) chain.add(item);
    expect(namesIn(chain)).toEqual(['a', 'b', 'c']);
    expect(chain.first?.name).toBe('a');
  });

  it.each([
    [0, ['b', 'c', 'd']],
    [1, ['a', 'c', 'd']],
    [2, ['a', 'b', 'd']],
  ])('lets item %i go, and takes further ones at its end', (index, left) => {
    const chain = new LinkedList<Item>();
    const all = items();
    for (const item of all) chain.add(item);
    const gone = all[index] as Item;
    chain.remove(gone);
    chain.add({ name: 'd' });
    expect(namesIn(chain)).toEqual(left);
    expect(gone).toEqual({ name: gone.name });
  });

  it('is empty again after its last item went', () => {
    const chain = new LinkedList<Item>();
    const [only] = items();
    chain.add(only);
    chain.remove(only);
    expect(namesIn(chain)).toEqual([]);
    chain.add(only);
    expect(namesIn(chain)).toEqual(['a']);
  });
});
