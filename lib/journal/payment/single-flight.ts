/** A call that is under way. */
export interface Flight<Asked, End> {
  readonly asked: Asked;
  readonly end: Promise<End>;
}

/** The payments that this process is making, by `journalKeyText`: one call for each reference, joined by the others. */
export class SingleFlight<Asked, End> {
  private readonly flights = new Map<string, Flight<Asked, End>>();

  /** The call that is under way for a payment; undefined where there is none. */
  underWay(id: string): Flight<Asked, End> | undefined {
    return this.flights.get(id);
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
}
