import { performance } from 'node:perf_hooks';

/** Names that strangers invent must not fill the memory. */
const MOST_NAMES = 10_000;

/** Names that are remembered for a time. Beyond a number of them, the oldest leave earlier. */
export class ExpiringNames {
  /** Until when each name counts, by `performance.now()`; the oldest first. */
  private readonly ends = new Map<string, number>();

  /** @param ms How long a name counts. */
  constructor(private readonly ms: number) {}

  has(name: string): boolean {
    const end = this.ends.get(name);
    if (end === undefined) return false;
    if (performance.now() < end) return true;
    this.ends.delete(name);
    return false;
  }

  add(name: string): void {
    this.ends.delete(name);
    this.ends.set(name, performance.now() + this.ms);
    if (this.ends.size <= MOST_NAMES) return;
    const [oldest] = this.ends.keys();
    if (oldest !== undefined) this.ends.delete(oldest);
  }

  delete(name: string): void {
    this.ends.delete(name);
  }
}
