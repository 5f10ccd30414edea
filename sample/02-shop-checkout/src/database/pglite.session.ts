import { type PGlite } from '@electric-sql/pglite';

const ROLLBACK = Buffer.from('Q\0\0\0\x0dROLLBACK\0', 'latin1');

/** The only session of PGlite, which answers messages in turn. */
export class PgliteSession {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly engine: Pick<PGlite, 'execProtocol'>) {}

  /** Rolls back what an earlier connection left open, like a server at the end of a connection. */
  async begin(): Promise<void> {
    await this.send(ROLLBACK);
  }

  async send(bytes: Uint8Array): Promise<Uint8Array> {
    const answered = this.turn.then(() => this.engine.execProtocol(bytes, { throwOnError: false }));
    this.turn = answered.catch(() => undefined);
    return (await answered).data;
  }
}
