import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type ClientRequest, type SplitRequests } from './request-splitter.js';

/** What a network does to one request. In each case the client gets no answer. */
export const NETWORK_FAULTS = [
  /** The connection breaks before the request leaves. */
  'never sent',
  /** The server acts on it; the connection breaks before its answer arrives. */
  'answer lost',
  /** The server acts on it; its answer and everything after it is swallowed. */
  'silence',
  /** The request and everything after it is swallowed. */
  'black hole',
  /** The client's connection breaks; the request reaches the old session of the server later. */
  'late',
  /** The connection breaks in the middle of the request. */
  'half a message',
] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** How long a late request is on its way. */
const LATE_BY_MS = 700;
/** How long a server keeps a session after the last packet. */
const FORGOTTEN_AFTER_MS = 8_000;

/** A TCP proxy on the loopback interface before a storage: it looks at each request, and breaks the chosen ones. */
export class FaultyProxy {
  private readonly sockets = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly split: () => SplitRequests,
    private readonly faultFor: (request: ClientRequest) => NetworkFault | undefined,
  ) {}

  /**
   * @param split Finds the requests in what one connection sends.
   * @param faultFor What happens to a request; undefined: it gets through.
   */
  static async before(
    url: string,
    split: () => SplitRequests,
    faultFor: (request: ClientRequest) => NetworkFault | undefined,
  ): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server, new URL(url), split, faultFor);
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
    for (const timer of this.timers) clearTimeout(timer);
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    const far = connect({ host: this.target.hostname, port: Number(this.target.port), noDelay: true });
    near.setNoDelay(true);
    const split = this.split();
    let broken = false;
    near.on('data', (chunk) => {
      for (const request of split(chunk)) {
        if (broken) return;
        const fault = this.faultFor(request);
        broken = fault !== undefined;
        if (fault) this.strike(fault, request.bytes, near, far);
        else far.write(request.bytes);
      }
    });
    far.on('data', (chunk) => {
      if (!broken) near.write(chunk);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.sockets.delete(one);
        // A broken pair has its own end.
        if (!broken) other.destroy();
      });
    }
  }

  private strike(fault: NetworkFault, request: Buffer, near: Socket, far: Socket): void {
    switch (fault) {
      case 'never sent':
        near.resetAndDestroy();
        far.destroy();
        return;
      case 'answer lost':
        far.once('data', () => {
          near.resetAndDestroy();
          far.destroy();
        });
        far.write(request);
        return;
      case 'silence':
        far.write(request);
        this.forget(near, far);
        return;
      case 'black hole':
        this.forget(near, far);
        return;
      case 'late':
        near.resetAndDestroy();
        this.later(LATE_BY_MS, () => far.end(request));
        return;
      case 'half a message':
        near.resetAndDestroy();
        far.end(request.subarray(0, Math.floor(request.length / 2)));
    }
  }

  private forget(near: Socket, far: Socket): void {
    this.later(FORGOTTEN_AFTER_MS, () => {
      near.destroy();
      far.destroy();
    });
  }

  private later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
  }
}
