import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request, in whatever broken way a test wants. */
export type Behaviour = (response: ServerResponse, socket: Socket, request: SeenRequest) => void;

/** A real HTTP server whose answers the test writes; the last behaviour stays. */
export interface MisbehavingGateway {
  readonly baseUrl: string;
  readonly seen: SeenRequest[];
  /** Connections that were opened. */
  readonly connections: () => number;
  /** Resolves as soon as `count` requests have come. */
  readonly arrived: (count: number) => Promise<void>;
  answer(...behaviours: readonly [Behaviour, ...Behaviour[]]): void;
  close(): Promise<void>;
}

export async function startMisbehavingGateway(): Promise<MisbehavingGateway> {
  const seen: SeenRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let queue: Behaviour[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, socket } = request;
      const entry: SeenRequest = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(entry);
      const behaviour = queue.length > 1 ? queue.shift() : queue[0];
      behaviour?.(response, socket, entry);
      waiting
        .filter(({ count }) => seen.length >= count)
        .forEach(({ resolve }) => {
          resolve();
        });
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    seen,
    connections: () => connections,
    arrived: (count) =>
      new Promise((resolve) => {
        if (seen.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    answer: (...behaviours) => {
      queue = [...behaviours];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return text(JSON.stringify(body), status, { 'content-type': 'application/json', ...headers });
}

/** Answers with any text. */
export function text(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Never answers. */
export const hang: Behaviour = () => {};

/** Breaks the connection after the request was read. */
export const reset: Behaviour = (_response, socket) => {
  socket.resetAndDestroy();
};

/** Sends the head of an answer and half of its body, and then nothing. */
export const stall: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"status":"success"');
};

/** Sends half of the body and closes. */
export const truncate: Behaviour = (response, socket) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"status":"success"', () => {
    socket.end();
  });
};

/** Sends one byte at a time, forever. */
export const drip: Behaviour = (response, socket) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  socket.on('close', () => {
    clearInterval(timer);
  });
};
