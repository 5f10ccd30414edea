import { type DeadlineResult, withDeadline } from '../../common/with-deadline.js';
import { type CallLimits } from '../../gateway/call-options.js';

/** The payments that this process is making, by `journalKeyText`: one call for each reference, joined by the others. */
export class SingleFlight<Asked, End> {
  private readonly flights = new Map<string, { readonly asked: Asked; readonly end: Promise<End> }>();

  /** What the call that is under way for a payment was asked for; undefined where there is none. */
  underWay(id: string): Asked | undefined {
    return this.flights.get(id)?.asked;
  }

  /** Makes the call that others may join; it must never reject. */
  lead(id: string, asked: Asked, call: () => Promise<End>): Promise<End> {
    const end = call().then((value) => {
      this.flights.delete(id);
      return value;
    });
    this.flights.set(id, { asked, end });
    return end;
  }

  /** Resolves when every call that is under way now has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.flights.values()].map(({ end }) => end));
  }

  /** Waits for the call that is under way, within the limits of the one who joins. */
  async join(id: string, { deadline, signal }: CallLimits): Promise<DeadlineResult<End>> {
    const flight = this.flights.get(id);
    return flight ? withDeadline(flight.end, deadline, signal) : { ended: 'late' };
  }
}
