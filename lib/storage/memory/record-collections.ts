/**
 * An item of a linked list, of one list at a time. It holds its own neighbours, so that removing it costs the same at
 * every length.
 */
export interface Linked<Item> {
  before?: Item | undefined;
  after?: Item | undefined;
}

/** Items in the order in which they came. */
export class LinkedList<Item extends Linked<Item>> {
  first: Item | undefined;
  private last: Item | undefined;

  /** Puts an item at the end. */
  add(item: Item): void {
    item.before = this.last;
    if (this.last) this.last.after = item;
    else this.first = item;
    this.last = item;
  }

  /** Removes an item of this list. */
  remove(item: Item): void {
    const { before, after } = item;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    // A removed item must not keep its neighbours in memory.
    item.before = undefined;
    item.after = undefined;
  }

  *[Symbol.iterator](): Generator<Item, void> {
    for (let item = this.first; item; item = item.after) yield item;
  }
}

/** How many records stand in one block. */
const BLOCK = 1_024;

interface Block<Item> {
  /** By the number of the record within the block. */
  readonly items: (Item | undefined)[];
  /** How many of them are in each state. */
  readonly states: Map<string, number>;
}

/**
 * Records in the order in which they were added, in blocks that count the states of their records. A list skips whole blocks
 * that hold nothing it asks for, so its cost grows with what it finds, and a change of state costs the same at every size.
 */
export class NumberedRecords<Item extends { readonly record: { readonly state: string } }> {
  private readonly blocks = new Map<number, Block<Item>>();
  private last = 0;

  /** The number under which the next record will stand. */
  get next(): number {
    return this.last + 1;
  }

  add(item: Item): void {
    this.last += 1;
    const number = blockOf(this.last);
    const block: Block<Item> = this.blocks.get(number) ?? { items: [], states: new Map() };
    this.blocks.set(number, block);
    block.items[this.last % BLOCK] = item;
    count(block, item.record.state, 1);
  }

  /** Call it when the record with this number has changed its state. */
  stateChanged(number: number, from: string, to: string): void {
    const block = this.blocks.get(blockOf(number));
    if (!block || from === to) return;
    count(block, from, -1);
    count(block, to, 1);
  }

  remove(number: number, state: string): void {
    const block = this.blocks.get(blockOf(number));
    if (!block) return;
    block.items[number % BLOCK] = undefined;
    count(block, state, -1);
    if (block.states.size === 0) this.blocks.delete(blockOf(number));
  }

  /** The records after a number whose state is wanted. Nothing may change until the caller has read what it needs. */
  *after(number: number, isWanted: (state: string) => boolean): Generator<Item, void> {
    let from = number + 1;
    for (let index = blockOf(from); index <= blockOf(this.last); index += 1) {
      const block = this.blocks.get(index);
      const found = block && [...block.states.keys()].some(isWanted) ? block.items : [];
      for (let at = from % BLOCK; at < found.length; at += 1) {
        const item = found[at];
        if (item && isWanted(item.record.state)) yield item;
      }
      from = (index + 1) * BLOCK;
    }
  }
}

function blockOf(number: number): number {
  return Math.floor(number / BLOCK);
}

function count({ states }: Block<unknown>, state: string, by: 1 | -1): void {
  const now = (states.get(state) ?? 0) + by;
  if (now === 0) states.delete(state);
  else states.set(state, now);
}
