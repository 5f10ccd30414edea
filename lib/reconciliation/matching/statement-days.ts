/** A day, or several in a row: from its first instant to the first one after it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The days that were closed with a statement. */
export class StatementDays {
  /** Days in a row are one span, and nearly all days are. */
  private readonly spans: Span[] = [];

  /** A day after those that are there. */
  add({ from, to }: Span): void {
    const last = this.spans.at(-1);
    if (last?.to === from) this.spans.splice(-1, 1, { from: last.from, to });
    else this.spans.push({ from, to });
  }

  /** Whether the day of a time is one of them. */
  has(at: number): boolean {
    const last = this.spans.findLast(({ from }) => from <= at);
    return last !== undefined && at < last.to;
  }
}
