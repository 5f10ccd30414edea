const AT_ONCE = 16;

/** Looks for some at once, and gives each with what was found, in their order. */
export async function* inPieces<T, Found>(
  all: readonly T[],
  look: (one: T) => Promise<Found>,
): AsyncGenerator<readonly (readonly [one: T, found: Found])[], void, undefined> {
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE);
    yield Promise.all(some.map(async (one) => [one, await look(one)] as const));
  }
}
