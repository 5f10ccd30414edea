import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on the loopback interface before a real server. It counts how often a client writes after it was answered. */
export class CountingProxy {
  /** How many round trips there were. */
  roundTrips = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async before(url: string): Promise<CountingProxy> {
    const server = createServer();
    const proxy = new CountingProxy(server, new URL(url));
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

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    const far = connect({ host: this.target.hostname, port: Number(this.target.port) });
    let answered = true;
    near.on('data', () => {
      if (answered) this.roundTrips += 1;
      answered = false;
    });
    far.on('data', () => {
      answered = true;
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
