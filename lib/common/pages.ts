/**
 * Reads pages, one after the other, until one has fewer items than the limit.
 *
 * @param read Reads the items after the last one of the page before; after nothing at first.
 */
export async function* pages<Item>(
  limit: number,
  read: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) {
    yield page;
    if (page.length < limit) return;
  }
}
