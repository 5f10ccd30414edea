import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** An HTTP proxy on the loopback interface that knows which requests passed, and which are open. */
export class WatchedProxy {
  /** Requests so far. */
  readonly seen: IncomingMessage[] = [];
  private readonly open = new Set<IncomingMessage>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('request', (incoming, response) => {
      this.pass(incoming, response);
    });
  }

  static async before(url: string): Promise<WatchedProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WatchedProxy(server, new URL(url));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Open requests whose path ends so. */
  openAt(ending: string): number {
    return [...this.open].filter(({ url }) => url?.endsWith(ending)).length;
  }

  /** Resolves when a request whose path ends so arrives or ends. */
  async changeAt(ending: string): Promise<void> {
    const [path] = (await once(this.server, 'passage')) as [string];
    if (!path.endsWith(ending)) await this.changeAt(ending);
  }

  /** Ends every connection. */
  cut(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    this.cut();
    await closed;
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = incoming;
    this.seen.push(incoming);
    this.open.add(incoming);
    this.server.emit('passage', url);
    const outgoing = request(new URL(url ?? '/', this.target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response).on('error', () => answer.destroy());
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => {
      outgoing.destroy();
      this.open.delete(incoming);
      this.server.emit('passage', url);
    });
    incoming.pipe(outgoing);
  }
}
