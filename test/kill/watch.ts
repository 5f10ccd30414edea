import { setTimeout as pause } from 'node:timers/promises';
import { type Books } from './books.js';

const EVERY_MS = 250;

/** Looks at the database while it is used, and collects what did not stand together for a moment. */
export class Watch {
  readonly contradictions = new Set<string>();
  looks = 0;
  private readonly stopping = new AbortController();
  private readonly looking: Promise<void>;

  constructor(private readonly books: Pick<Books, 'contradictions'> | undefined) {
    this.looking = books ? this.keepLooking(books) : Promise.resolve();
  }

  /** Looks for the last time; rejects where it cannot. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    if (this.books) await this.lookAt(this.books);
  }

  private async keepLooking(books: Pick<Books, 'contradictions'>): Promise<void> {
    const { signal } = this.stopping;
    while (await pause(EVERY_MS, true, { signal }).catch(() => false)) {
      // While the database is away there is nothing to see.
      await this.lookAt(books).catch(() => undefined);
    }
  }

  private async lookAt(books: Pick<Books, 'contradictions'>): Promise<void> {
    for (const each of await books.contradictions()) this.contradictions.add(each);
    this.looks += 1;
  }
}
