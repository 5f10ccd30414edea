import { performance } from 'node:perf_hooks';
import { waitWithin } from '../../transport/wait-within.js';

/** What is being worked on for one account, so that a shutdown can wait for it. */
export class RunningWork {
  private readonly running = new Map<Promise<unknown>, () => string>();

  /** @param describe What runs at the moment, for the log. */
  async track<T>(work: Promise<T>, describe: () => string): Promise<T> {
    this.running.set(work, describe);
    try {
      return await work;
    } finally {
      this.running.delete(work);
    }
  }

  /** Waits until nothing runs any more, no longer than said. Resolves to what still runs then. */
  async idle(limitMs: number): Promise<readonly string[]> {
    const deadline = performance.now() + limitMs;
    while (this.running.size > 0) {
      const { ended } = await waitWithin(Promise.allSettled(this.running.keys()), deadline);
      if (ended === 'late') break;
    }
    return [...this.running.values()].map((describe) => describe());
  }
}
