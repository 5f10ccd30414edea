import { performance } from 'node:perf_hooks';

/** What came of waiting. */
export type Waited<T> =
  { readonly ended: 'done'; readonly value: T } | { readonly ended: 'late' } | { readonly ended: 'aborted' };

/** Waits for work no longer than the deadline (by `performance.now()`) and the signal allow; the work itself goes on. */
export async function waitWithin<T>(
  work: Promise<T>,
  deadline: number,
  signal?: AbortSignal,
): Promise<Waited<T>> {
  let stop = (): void => {};
  const limit = new Promise<Waited<T>>((resolve) => {
    const late = setTimeout(() => {
      resolve({ ended: 'late' });
    }, deadline - performance.now());
    const abort = (): void => {
      resolve({ ended: 'aborted' });
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    stop = () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([work.then((value): Waited<T> => ({ ended: 'done', value })), limit]);
  } finally {
    stop();
  }
}
