import { performance } from 'node:perf_hooks';

/** What came of waiting. */
export type DeadlineResult<T> =
  { readonly ended: 'done'; readonly value: T } | { readonly ended: 'late' } | { readonly ended: 'aborted' };

/** Waits for work no longer than the deadline (by `performance.now()`) and the signal allow; the work itself goes on. */
export function withDeadline<T>(
  work: Promise<T>,
  deadline: number,
  signal?: AbortSignal,
): Promise<DeadlineResult<T>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
    };
    const end = (waited: DeadlineResult<T>): void => {
      stop();
      resolve(waited);
    };
    const abort = (): void => {
      end({ ended: 'aborted' });
    };
    const late = setTimeout(() => {
      end({ ended: 'late' });
    }, deadline - performance.now());
    signal?.addEventListener('abort', abort, { once: true });
    work.then(
      (value) => {
        end({ ended: 'done', value });
      },
      (error: unknown) => {
        stop();
        // As it came, whatever it is.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      },
    );
    if (signal?.aborted) abort();
  });
}
