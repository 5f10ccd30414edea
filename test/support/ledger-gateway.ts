import { type Socket } from 'node:net';
import { startMisbehavingGateway, type Behaviour, type MisbehavingGateway } from './misbehaving-gateway.js';
import { accept, refuse } from './working-gateway.js';

/** Moves the money of every new idempotency key, and then answers the first request as a test wants. */
export interface LedgerGateway extends Pick<MisbehavingGateway, 'baseUrl' | 'seen' | 'close'> {
  /** How often money moved. */
  readonly effects: () => number;
  /** Forgets what was, and answers the next request like this, after its effect. */
  begin(first: Behaviour): void;
  /** Answers the next request like this, after its effect if its key is new. */
  next(answer: Behaviour): void;
}

export async function startLedgerGateway(): Promise<LedgerGateway> {
  const gateway = await startMisbehavingGateway();
  const keys = new Set<unknown>();
  let first: Behaviour | undefined;
  gateway.answer((response, socket, request) => {
    const key = request.headers['idempotency-key'];
    const behaviour = first ?? (keys.has(key) ? refuse('DUPLICATE_REQUEST', 409) : accept);
    keys.add(key);
    first = undefined;
    behaviour(response, socket, request);
  });
  return {
    baseUrl: gateway.baseUrl,
    seen: gateway.seen,
    close: () => gateway.close(),
    effects: () => keys.size,
    begin: (behaviour) => {
      keys.clear();
      gateway.seen.length = 0;
      first = behaviour;
    },
    next: (behaviour) => {
      first = behaviour;
    },
  };
}

/** Writes an answer byte by byte, as no server of Node.js would. */
export function raw(
  status: number,
  headers: readonly string[],
  body: string | Buffer,
  end: (socket: Socket) => void,
): Behaviour {
  return (_response, socket) => {
    const head = [`HTTP/1.1 ${status} Answer`, ...headers, '', ''].join('\r\n');
    socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]), () => {
      end(socket);
    });
  };
}

/** An answer that says of itself that it is complete JSON. */
export function jsonText(
  body: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}
