import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { UsageError } from '../../usage-error.js';
import { type AnswerRule, RECEIVED } from './answer-rule.js';
import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';
import { type StrayRequests } from './stray-lines.js';
import { type WaitClock } from './wait-clock.js';
import { type AskedReferences } from './webhooks-heard.js';

const BODY_LIMIT = 65_536;
const MOST_CONNECTIONS = 64;
const HOST = '127.0.0.1';
const MOST_DELIVERIES = 2_000;
/** Strangers may send to as many paths as they like. */
const MOST_OTHER_PATHS = 5;
/** A gateway sends it again, perhaps when its owner listens again. */
const NOT_OURS = 503;
const REQUEST_TIMEOUT_MS = 15_000;

interface DeliveriesListenerOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Where webhooks come. */
  readonly path: string;
  readonly clock: Pick<WaitClock, 'now'>;
  readonly asked: AskedReferences;
  readonly rule: AnswerRule;
}

/** A server that keeps each webhook of this run as it came, and answers it by a rule. */
export class DeliveriesListener {
  private readonly kept: CapturedDelivery[] = [];
  private readonly elsewhere = new Map<string, number>();
  private ofOthers = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: DeliveriesListenerOptions,
  ) {
    server.maxConnections = MOST_CONNECTIONS;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.receive(request, response);
    });
    // Without it, a listener that is out of file descriptors would end the process.
    server.on('error', () => undefined);
  }

  /** @throws UsageError if the port is taken or forbidden. */
  static async start(options: DeliveriesListenerOptions): Promise<DeliveriesListener> {
    const { port } = options;
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
    try {
      await once(server.listen(port, HOST), 'listening');
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `Nothing can listen on port ${port} of ${HOST} (${code}): write another --listen; 0 takes any free port.`,
      );
    }
    return new DeliveriesListener(server, options);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Every webhook of this run, oldest first. */
  get deliveries(): readonly CapturedDelivery[] {
    return this.kept;
  }

  /** What came beside them. */
  get strays(): StrayRequests {
    return { ofOthers: this.ofOthers, elsewhere: this.elsewhere };
  }

  /** Ends every connection and frees the port. */
  async stop(): Promise<void> {
    const closed = once(this.server.close(), 'close');
    this.server.closeAllConnections();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOf(request, this.options.path);
    if (refusal !== undefined) {
      if (refusal === 404) this.countElsewhere(request);
      answer(response, refusal, refusal === 405 ? { allow: 'POST' } : {});
      request.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else if (!response.headersSent) answer(response, 413, { connection: 'close' });
    });
    request.on('end', () => {
      if (size <= BODY_LIMIT) answer(response, this.keep(request, Buffer.concat(chunks)));
    });
  }

  /** The status of the answer. */
  private keep({ method = '', url = '', rawHeaders }: IncomingMessage, body: Buffer): number {
    const { asked, clock, rule } = this.options;
    const { reference } = claimedEvent(body);
    // The try-out of a portal has no reference, or none of a payment.
    if (reference === undefined) return RECEIVED;
    if (!asked.has(reference)) {
      this.ofOthers += 1;
      return NOT_OURS;
    }
    if (this.kept.length >= MOST_DELIVERIES) return 503;
    const at = clock.now();
    const status = rule(body, at, this.kept);
    const headers = headersOf(rawHeaders);
    this.kept.push({ at, machineTime: Date.now(), method, url, headers, body, status });
    return status;
  }

  private countElsewhere({ method, url = '' }: IncomingMessage): void {
    const path = pathOf(url);
    const isCounted = this.elsewhere.has(path) || this.elsewhere.size < MOST_OTHER_PATHS;
    if (method === 'POST' && isCounted) this.elsewhere.set(path, (this.elsewhere.get(path) ?? 0) + 1);
  }
}

function refusalOf(
  { method, url = '', headers }: IncomingMessage,
  path: string,
): 404 | 405 | 413 | undefined {
  if (pathOf(url) !== path) return 404;
  if (method !== 'POST') return 405;
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT ? 413 : undefined;
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.on('error', () => undefined);
  response.writeHead(status, headers).end();
}

/** Values by lower-case name, in their order; Node's own map drops a header that comes twice. */
function headersOf(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let place = 0; place + 1 < raw.length; place += 2) {
    const name = (raw[place] ?? '').toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), raw[place + 1] ?? '']);
  }
  return headers;
}
