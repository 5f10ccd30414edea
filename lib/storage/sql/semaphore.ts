/** Grants a limited number of permits at a time, in the order of the requests. */
export class Semaphore {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(public permits: number) {}

  /** Resolves when the caller has a permit. Rejects if that takes too long. */
  acquire(withinMs: number, late: () => Error): Promise<void> {
    if (this.taken < this.permits) {
      this.taken += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(next);
        reject(late());
      }, withinMs);
      this.waiting.add(next);
    });
  }

  /** Gives the permit to the caller that has waited longest. */
  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
