import { Readable } from 'node:stream';

/** The streams of rows that handlers read from the connection of their transaction. */
export class HandlerStreams {
  private readonly open = new Set<Readable>();

  /**
   * Gives the stream of the driver, or one that fails if the statement is refused: Knex reports only the error of a stream to
   * those who read it.
   *
   * @param run Runs the statement, which lasts as long as its stream, unless it refuses it.
   */
  read(run: (work: () => Promise<void>) => Promise<unknown>, send: () => Readable): Readable {
    const sent: Readable[] = [];
    const ended = run(() => {
      const rows = send();
      sent.push(rows);
      return this.follow(rows);
    });
    const stream = sent[0] ?? new Readable({ read: () => undefined });
    ended.catch((error: unknown) => stream.destroy(error as Error));
    return stream;
  }

  /** Ends what nobody read to its end: the next statement of the connection would wait for it. */
  end(): void {
    // Without an error, which would end the process if nobody listens.
    for (const rows of this.open) rows.destroy();
  }

  private follow(rows: Readable): Promise<void> {
    this.open.add(rows);
    return new Promise<void>((resolve, reject) => {
      rows.once('error', reject).once('close', () => {
        this.open.delete(rows);
        resolve();
      });
    });
  }
}
