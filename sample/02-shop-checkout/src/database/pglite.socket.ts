import { Duplex } from 'node:stream';
import { type PgliteSession } from './pglite.session.js';

/** First byte of the message that ends a connection. */
const TERMINATE = 0x58;

type Done = (error?: Error | null) => void;

/** A socket that looks like a connection to a server to `pg`. */
export class PgliteSocket extends Duplex {
  constructor(private readonly session: PgliteSession) {
    super();
  }

  connect(): this {
    this.session.begin().then(
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
    this.session.send(bytes).then((answer) => {
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
}
