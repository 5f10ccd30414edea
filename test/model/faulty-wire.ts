import {
  Agent,
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { type PaymentsSandbox } from '../../lib/sandbox/index.js';
import { type Fault } from './plan.js';

/** A request that came to the wire. */
export interface WireRequest {
  readonly operation: Parameters<PaymentsSandbox['next']>[0];
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly key: string;
  readonly reference: string;
  readonly body: string;
}

/** What the world does while a request is on the wire. */
export interface WireEvents {
  /** A request has come. False: the caller died before it was sent whole. */
  readonly arrived: (request: WireRequest) => boolean;
  /** The gateway has processed it, and its answer is about to leave. */
  readonly processed: (request: WireRequest, fault: Fault) => Promise<void>;
  /** The caller is to give up. */
  readonly giveUp: () => void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The network between a merchant and the emulator: it breaks as planned, request by request. */
export class FaultyWire {
  private planned: Fault[] = [];
  private held: WireRequest[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly sandbox: PaymentsSandbox,
    private readonly events: WireEvents,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async open(sandbox: PaymentsSandbox, events: WireEvents): Promise<FaultyWire> {
    const server = createServer();
    const wire = new FaultyWire(sandbox, events, server);
    server.on('request', (incoming, response) => {
      wire.track(
        readText(incoming).then((body) => {
          const request = wireRequest(incoming.url ?? '', incoming.headers, body);
          return wire.carry(request, response, incoming.socket);
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v1`;
  }

  /** What happens to the next requests, one after the other. */
  plan(faults: readonly Fault[]): void {
    this.planned = [...faults];
  }

  /** Whether the next request does not even find a connection. */
  refusesNext(): boolean {
    if (this.planned[0] !== 'refused') return false;
    this.planned.shift();
    return true;
  }

  /** Lets the gateway process what was held back on the way. */
  async letLateRequestsArrive(): Promise<void> {
    for (const request of this.held.splice(0)) await this.relay(request);
  }

  /** Resolves when nothing is on its way, also of callers who have gone. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  reset(): void {
    this.planned = [];
    this.held = [];
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  private track(work: Promise<void>): void {
    const settled = work.catch(() => {}).finally(() => this.underWay.delete(settled));
    this.underWay.add(settled);
  }

  private async carry(request: WireRequest, response: ServerResponse, socket: Socket): Promise<void> {
    const fault = this.planned.shift() ?? 'none';
    if (!this.events.arrived(request)) {
      socket.destroy();
      return;
    }
    if (fault === 'aborted') this.events.giveUp();
    if (fault === 'late') {
      this.held.push(request);
      return;
    }
    this.spoilAtTheGateway(request, fault);
    const answer = await this.relay(request, response);
    await this.events.processed(request, fault);
    if (!answer || fault === 'reset') socket.resetAndDestroy();
    else if (fault === 'truncated') truncate(response, answer);
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  /** The emulator has these faults itself. */
  private spoilAtTheGateway({ operation }: WireRequest, fault: Fault): void {
    const [kind, status = '', code] = fault.split(' ');
    const next = this.sandbox.next(operation);
    if (kind === 'html') next.html(Number(status));
    if (kind === 'status')
      next.status(Number(status), { retryAfter: 0, ...(code !== undefined && { code }) });
    if (
      kind === 'dropBefore' ||
      kind === 'dropAfterProcessing' ||
      kind === 'malformedJson' ||
      kind === 'hang'
    )
      next[kind]();
  }

  /** The gateway's answer; undefined where it broke the connection. */
  private relay(request: WireRequest, response?: ServerResponse): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const onward = send(`${this.sandbox.url}${request.path}`, {
        method: 'POST',
        agent: this.agent,
        headers: { ...request.headers, host: new URL(this.sandbox.url).host },
      });
      // A caller that goes away takes its request to a silent gateway along.
      response?.on('close', () => onward.destroy());
      onward.on('error', () => {
        resolve(undefined);
      });
      onward.on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => {
          resolve(undefined);
        });
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
        });
      });
      onward.end(request.body);
    });
  }
}

function wireRequest(path: string, headers: IncomingHttpHeaders, body: string): WireRequest {
  const { reference } = JSON.parse(body) as { readonly reference: string };
  const operation = `POST ${path.replace('/api/v1', '')}` as WireRequest['operation'];
  return { operation, path, headers, key: String(headers['idempotency-key']), reference, body };
}

/** Rejects where the caller goes away while it sends: such a request is nobody's concern. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function truncate(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  response.write(body.subarray(0, body.length / 2), () => response.socket?.end());
}
