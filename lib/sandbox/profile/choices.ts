import { type Chance, seededChance, seedFor } from '../core/id-source.js';

/** Random choices that depend only on seed and subject. */
export class Choices {
  private readonly sequence: Chance;

  constructor(seed: number, subject: string) {
    this.sequence = seededChance(seedFor(seed, subject));
  }

  chance(probability: number): boolean {
    return this.sequence.draw() < probability;
  }

  /** An integer from `least` to `most`, both inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.sequence.draw() * (most - least + 1));
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.sequence.draw() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }
}
