import { randomInt } from 'node:crypto';

/** The same items in a random order (Fisher and Yates). */
export function shuffled<Item>(
  items: readonly Item[],
  random: (below: number) => number = randomInt,
): Item[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random(last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as Item, mixed[last] as Item];
  }
  return mixed;
}
