import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { acceptance, ANSWERS } from './answers.js';
import { type Family, type PlannedRequest, type Slot } from './plan.js';

/** A payment that came to the gateway. */
export interface SentPayment {
  /** Which process sent it. */
  readonly process: number;
  readonly family: Family;
  readonly reference: string;
  readonly path: string;
  readonly key: string;
  readonly body: string;
  /** What becomes of it; a payment whose key was processed before is a duplicate. */
  readonly planned: PlannedRequest | 'duplicate';
}

/** A request that the gateway did not take into its hands. */
export function wasTurnedAway({ planned }: SentPayment): boolean {
  return planned !== 'duplicate' && /^(slow down|redirect)/.test(planned.answer);
}

/** A request of which its sender knows that the gateway did not take it. A redirect says nothing of that. */
export function wasSlowedDown({ planned }: SentPayment): boolean {
  return planned !== 'duplicate' && planned.answer.startsWith('slow down');
}

/** A request whose answer may refuse the payment: another request for it is another try. */
export function mayHaveRefused({ planned }: SentPayment): boolean {
  if (planned === 'duplicate') return false;
  const { afterEffect } = ANSWERS[planned.answer];
  return afterEffect === 'payouts' || planned.answer.startsWith('refused');
}

/** Money that moved, or is about to. */
export interface Effect {
  readonly family: Family;
  readonly reference: string;
  readonly path: string;
  readonly amount: string;
  readonly key: string;
  status: string;
}

export interface GatewayEvents {
  /** Whether a process lives: what a dead one was sending never comes. */
  readonly lives: (process: number) => boolean;
  /** A payment has come; its answer waits. False: its process is dead, and nobody waits for the answer. */
  readonly arrived: (sent: SentPayment) => Promise<boolean>;
  readonly moved: (effect: Effect) => void;
  /** A process got the answer that the gateway has a payment. */
  readonly told: (effect: Effect, process: number) => void;
}

const FINAL = ['success', 'paid', 'failed', 'cancelled', 'expired'];

/**
 * The harshest gateway that the specification allows: it knows idempotency keys, and does not mind a reference that was used
 * before. A caller that sends another key for the same payment pays twice.
 */
export class LedgerGateway {
  readonly effects: Effect[] = [];
  private planned: PlannedRequest[] = [];
  private late: SentPayment[] = [];
  private readonly processed = new Set<string>();

  constructor(private readonly events: GatewayEvents) {}

  /** What becomes of the next payments, one after the other; those that come after them are accepted. */
  plan(requests: readonly PlannedRequest[]): void {
    this.planned = [...requests];
  }

  effectsOf({ family, reference }: Slot | SentPayment): readonly Effect[] {
    return this.effects.filter((effect) => effect.family === family && effect.reference === reference);
  }

  isOpen(effect: Effect): boolean {
    return !FINAL.includes(effect.status);
  }

  /** Whether something is on its way that the gateway has not seen yet. */
  awaits({ family, reference }: Slot): boolean {
    return this.late.some((sent) => sent.family === family && sent.reference === reference);
  }

  /** What was sent long ago moves money now. Returns how many requests there were. */
  letLateRequestsArrive(): number {
    const late = this.late.splice(0);
    for (const sent of late) this.process(sent);
    return late.length;
  }

  async handle(request: IncomingMessage, response: ServerResponse, process: number): Promise<void> {
    const body = await textOf(request);
    if (!this.events.lives(process)) {
      response.socket?.destroy();
      return;
    }
    const path = request.url ?? '';
    const family: Family = path.includes('/payments/') ? 'collection' : 'disbursement';
    if (request.method === 'GET') {
      this.tellStatus(family, path, response, process);
      return;
    }
    const asked = JSON.parse(body) as { readonly reference: string; readonly amount: unknown };
    const key = String(request.headers['idempotency-key']);
    const next = this.planned.shift();
    const planned = next ?? (this.processed.has(key) ? 'duplicate' : { answer: 'accepted', effect: 'now' });
    const sent: SentPayment = { process, family, reference: asked.reference, path, key, body, planned };
    if (planned !== 'duplicate' && planned.effect === 'now') this.process(sent);
    if (planned !== 'duplicate' && planned.effect === 'late') this.late.push(sent);
    if (!(await this.events.arrived(sent))) {
      response.socket?.destroy();
      return;
    }
    if (planned === 'duplicate') {
      const answer = { success: false, code: 'DUPLICATE_REQUEST', message: 'again' };
      response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    ANSWERS[planned.answer].write(response, asked);
  }

  private process({ family, reference, path, key, body }: SentPayment): void {
    if (this.processed.has(key)) return;
    this.processed.add(key);
    const { amount } = JSON.parse(body) as { readonly amount: unknown };
    const effect = { family, reference, path, key, amount: Number(amount).toFixed(2), status: 'pending' };
    this.effects.push(effect);
    this.events.moved(effect);
  }

  private tellStatus(family: Family, path: string, response: ServerResponse, process: number): void {
    const reference = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    const effect = this.effects.findLast((each) => each.family === family && each.reference === reference);
    if (effect) this.events.told(effect, process);
    const { data, ...rest } = acceptance({ reference, amount: effect?.amount }) as { data: object };
    const answer = effect
      ? { ...rest, code: 'SUCCESS', data: { ...data, status: effect.status } }
      : { success: false, code: 'NOT_FOUND', message: 'none' };
    response
      .writeHead(effect ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  }
}

/** The address of the gateway for one process, at which nobody may listen for a while. */
export class GatewayAddress {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  static async open(
    handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<GatewayAddress> {
    const server = createServer((request, response) => {
      // A client may close the connection while it sends.
      handle(request, response).catch(() => response.socket?.destroy());
    });
    return new GatewayAddress(server, await listenOnKeptPort(server));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/api/v1`;
  }

  /**
   * Every connection has ended at its other end, too: what a client writes to one of which it has not heard yet that it is closed may
   * have left.
   */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    await Promise.all([...this.sockets].map(endedAtBothEnds));
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async reopen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }
}

/** How many ports a process has: others that play stories at the same time have other ones. */
const OWN_PORTS = 10;
const FIRST_PORT = 10_000 + (process.pid % 2_000) * OWN_PORTS;

/**
 * Listens on a port that stays free while the gateway is away: systems take the ports of outgoing connections, and of
 * servers that ask for any port, from 32768 on.
 */
async function listenOnKeptPort(server: Server): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(OWN_PORTS);
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

function endedAtBothEnds(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
    socket.end();
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
