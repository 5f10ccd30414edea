import { journalKeyText } from '../../common/journal-key-text.js';
import { type JournalKey } from '../../common/journal-port.js';
import { type CallLimits } from '../call-limits.js';
import { waitWithin, type Waited } from '../wait-within.js';

/** The payments that this process is making: one call for each reference, joined by the others. */
export class SingleFlight<Asked, End> {
  private readonly flights = new Map<string, { readonly asked: Asked; readonly end: Promise<End> }>();

  /** What the call that is under way for a payment was asked for; undefined where there is none. */
  underWay(key: JournalKey): Asked | undefined {
    return this.flights.get(journalKeyText(key))?.asked;
  }

  /** Makes the call that others may join. */
  async lead(key: JournalKey, asked: Asked, call: () => Promise<End>): Promise<End> {
    const end = call();
    this.flights.set(journalKeyText(key), { asked, end });
    try {
      return await end;
    } finally {
      this.flights.delete(journalKeyText(key));
    }
  }

  /** Resolves when every call that is under way now has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.flights.values()].map(({ end }) => end));
  }

  /** Waits for the call that is under way, within the limits of the one who joins. */
  async join(key: JournalKey, { deadline, signal }: CallLimits): Promise<Waited<End>> {
    const flight = this.flights.get(journalKeyText(key));
    return flight ? waitWithin(flight.end, deadline, signal) : { ended: 'late' };
  }
}
