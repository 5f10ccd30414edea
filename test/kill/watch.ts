import { setTimeout as pause } from 'node:timers/promises';
import { type Ledger } from './ledger.js';

const EVERY_MS = 250;

/** Looks at the database while it is used, and collects what contradicted itself for a moment. */
export class Watch {
  readonly contradictions = new Set<string>();
  looks = 0;
  private readonly stopping = new AbortController();
  private readonly looking: Promise<void>;

  constructor(private readonly ledger: Pick<Ledger, 'contradictions'> | undefined) {
    this.looking = ledger ? this.keepLooking(ledger) : Promise.resolve();
  }

  /** Looks for the last time; rejects if it cannot. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    if (this.ledger) await this.lookAt(this.ledger);
  }

  private async keepLooking(ledger: Pick<Ledger, 'contradictions'>): Promise<void> {
    const { signal } = this.stopping;
    while (await pause(EVERY_MS, true, { signal }).catch(() => false)) {
      // While the database is away there is nothing to see.
      await this.lookAt(ledger).catch(() => undefined);
    }
  }

  private async lookAt(ledger: Pick<Ledger, 'contradictions'>): Promise<void> {
    for (const each of await ledger.contradictions()) this.contradictions.add(each);
    this.looks += 1;
  }
}
