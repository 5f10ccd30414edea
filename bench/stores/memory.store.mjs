import { memoryStorage } from 'nestjs-payments';

/** As full as it may be, so that it stays as large as it is. */
export function openStore({ entries }) {
  const storage = memoryStorage({ maxEntries: entries });
  return {
    storage,
    async fill(count, { insert, handle }) {
      for (let index = 0; index < count; index += 1) {
        await insert(storage, `filled-${index}`);
        await handle(storage, `filled-${index}`);
      }
    },
  };
}
