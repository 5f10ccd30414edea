import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a client of PostgreSQL sends before it closes a connection. */
export const POSTGRES_TERMINATE = Buffer.from('X\0\0\0\u0004');

/**
 * A TCP proxy on the loopback interface before a real server, which can go away as servers do: refuse (`cut`), keep
 * connections open and say nothing (`hang`), or do what it is asked and say nothing (`mute`).
 */
export class SeverableProxy {
  private mode: 'open' | 'cut' | 'hanging' = 'open';
  private lastWords: Buffer | undefined;
  private readonly silent = new Set<Socket>();
  private readonly pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {}

  static async before(url: string): Promise<SeverableProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new SeverableProxy(server, new URL(url));
    server.on('connection', (near) => {
      proxy.join(near);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The address of the real server, with the proxy's host and port. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.toString();
  }

  /** How many connections are open. */
  get connections(): number {
    return this.pairs.size;
  }

  /** New connections lead to another server. Those that are open stay, as after a change of a name's address. */
  moveTo(url: string): void {
    this.target = new URL(url);
  }

  /** Ends every connection and every new one. */
  cut(): void {
    this.mode = 'cut';
    for (const { near, far } of this.pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  /** Keeps connections, the new ones too, and lets nothing through. */
  hang(): void {
    this.mode = 'hanging';
    for (const { near, far } of this.pairs) {
      near.pause();
      far.pause();
    }
  }

  /** On a connection on which a client sends these bytes, lets nothing through from then on, not even its end. */
  fallSilentAt(bytes: Buffer): void {
    this.lastWords = bytes;
  }

  /** Lets everything through to the server and nothing back, over connections that are open. */
  mute(): void {
    for (const { far } of this.pairs) far.pause();
  }

  /** Works again; what was held back arrives now. */
  restore(): void {
    this.mode = 'open';
    for (const { near, far } of this.pairs) {
      near.resume();
      far.resume();
    }
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    if (this.mode === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: this.target.hostname, port: Number(this.target.port) });
    const pair = { near, far };
    this.pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (from === near && this.lastWords && chunk.includes(this.lastWords)) this.silent.add(near);
        if (!this.silent.has(near)) to.write(chunk);
      });
      from.once('end', () => {
        if (this.silent.has(near)) return;
        to.end();
        from.end();
      });
      from.once('error', () => to.destroy());
      from.once('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    }
    if (this.mode === 'hanging') {
      near.pause();
      far.pause();
    }
  }
}
