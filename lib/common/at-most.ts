/** Works on the items, `count` at once. Resolves when all are done. `work` must not reject. */
export async function atMost<T>(
  count: number,
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    for await (const item of items) {
      const task = work(item).then(() => void running.delete(task));
      running.add(task);
      if (running.size >= count) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
}
