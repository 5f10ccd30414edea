/** So many holders at a time, in the order of asking. */
export class Turns {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(public atOnce: number) {}

  /** Resolves when it is the caller's turn. Rejects if that takes too long. */
  take(withinMs: number, late: () => Error): Promise<void> {
    if (this.taken < this.atOnce) {
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

  /** Gives the turn to whoever has waited longest. */
  give(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
