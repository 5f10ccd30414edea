import { Duplex } from 'node:stream';
import { type PGlite } from '@electric-sql/pglite';
import { Pool } from 'pg';

const ROLLBACK = Buffer.from('Q\0\0\0\x0dROLLBACK\0', 'latin1');
/** First byte of the message that ends a connection. */
const TERMINATE = 0x58;

type Done = (error?: Error | null) => void;

/** PostgreSQL inside this process, in memory. It has one connection, which its users take in turn. */
export class EmbeddedPostgres {
  private engine: PGlite | undefined;
  private pool: Pool | undefined;

  async open(): Promise<Pool> {
    const { PGlite } = await import('@electric-sql/pglite');
    const engine = await PGlite.create('memory://');
    this.engine = engine;
    this.pool = new Pool({
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      stream: () => new EngineSocket(engine),
    });
    return this.pool;
  }

  async close(): Promise<void> {
    await this.pool?.end();
    await this.engine?.close();
    this.pool = undefined;
    this.engine = undefined;
  }
}

/** What `pg` takes for a connection to a server. */
class EngineSocket extends Duplex {
  constructor(private readonly engine: PGlite) {
    super();
  }

  /** Rolls back what an earlier connection left open, like a server at the end of a connection. */
  connect(): this {
    this.send(ROLLBACK).then(
      () => this.emit('connect'),
      (error: unknown) => this.destroy(error as Error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    // The message would end the engine, which the next connection needs.
    if (bytes[0] === TERMINATE) {
      done();
      return;
    }
    this.send(bytes).then((answer) => {
      this.push(answer);
      done();
    }, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  private async send(bytes: Uint8Array): Promise<Uint8Array> {
    return (await this.engine.execProtocol(bytes, { throwOnError: false })).data;
  }
}
