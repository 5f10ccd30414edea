import { type Books } from './books.js';

const EVERY_MS = 250;

/** Looks at the database while it is used, and collects what did not stand together for a moment. */
export class Watch {
  readonly contradictions = new Set<string>();
  looks = 0;
  private timer: NodeJS.Timeout | undefined;
  private look: Promise<void> = Promise.resolve();

  constructor(private readonly books: Pick<Books, 'contradictions'> | undefined) {
    if (books) this.next();
  }

  /** Looks for the last time; rejects where it cannot. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.look;
    if (this.books) await this.lookAt(this.books);
  }

  private next(): void {
    this.timer = setTimeout(() => {
      // While the database is away there is nothing to see.
      this.look = this.lookAt(this.books!).catch(() => undefined);
      void this.look.then(() => {
        this.next();
      });
    }, EVERY_MS);
  }

  private async lookAt(books: Pick<Books, 'contradictions'>): Promise<void> {
    for (const each of await books.contradictions()) this.contradictions.add(each);
    this.looks += 1;
  }
}
