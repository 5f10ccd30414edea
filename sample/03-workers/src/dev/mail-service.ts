import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One call of the service. */
export interface MailCall {
  readonly key: string;
  readonly body: string;
  /** Whether this key has already sent a mail. */
  readonly repeated: boolean;
}

/** A fake mail service: it sends one mail for each key, however often it is called. */
export class MailService {
  /** Every sent mail, by its key. */
  readonly sent = new Map<string, string>();
  /** Whether it works; otherwise it answers 503 and sends nothing. */
  open = true;
  /** Runs between sending a mail and answering. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly server: Server,
    private readonly tell: (call: MailCall) => void,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.take(request, response).catch(() => response.destroy());
    });
  }

  /** @param tell Gets every call. */
  static async start(port: number, tell: (call: MailCall) => void): Promise<MailService> {
    const server = createServer();
    const service = new MailService(server, tell);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = String(request.headers['idempotency-key']);
    const body = await text(request);
    const repeated = this.sent.has(key);
    const { open } = this;
    if (open && !repeated) this.sent.set(key, body);
    this.tell({ key, body, repeated });
    await this.beforeAnswer();
    response.writeHead(open ? 200 : 503).end();
  }
}
