/**
 * Works on the items in their order, so many at once. Nothing new begins after `mayBegin` says no or some work fails; what is
 * under way always ends first.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
  mayBegin: () => boolean = () => true,
): Promise<void> {
  const queue = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0 && mayBegin()) {
      const { done, value } = queue.next();
      if (done) return;
      await work(value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
