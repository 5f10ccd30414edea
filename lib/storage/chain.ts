/** What can stand in a chain, in one at a time. It holds its own neighbours, so that leaving costs the same at every length. */
export interface Linked<Item> {
  before?: Item | undefined;
  after?: Item | undefined;
}

/** Items in the order in which they came. */
export class Chain<Item extends Linked<Item>> {
  first: Item | undefined;
  private last: Item | undefined;

  /** Puts an item at the end. */
  add(item: Item): void {
    item.before = this.last;
    if (this.last) this.last.after = item;
    else this.first = item;
    this.last = item;
  }

  /** Takes an item out that stands in this chain. */
  remove(item: Item): void {
    const { before, after } = item;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    // What is gone must not keep its neighbours in memory.
    item.before = undefined;
    item.after = undefined;
  }

  *[Symbol.iterator](): Generator<Item, void> {
    for (let item = this.first; item; item = item.after) yield item;
  }
}
