/** Time that passes only when a test says so. */
export class ManualClock {
  private time = 0;
  private timers: { readonly at: number; readonly run: () => void }[] = [];

  readonly now = (): number => this.time;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.time + ms, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  /** Timers that are set. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass, and whatever is due happen in its order and at its moment, what follows from it included. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await new Promise(setImmediate);
    for (;;) {
      const [next] = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = next.at;
      next.run();
      await new Promise(setImmediate);
    }
    this.time = end;
    await new Promise(setImmediate);
  }
}
