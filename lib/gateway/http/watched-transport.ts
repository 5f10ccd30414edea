import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { type Socket } from 'node:net';
import { type TLSSocket } from 'node:tls';
import { type OutgoingRequest } from './http-transport.js';
import { readAnswer } from './send-try.js';
import { noteStart, refuseChanged, type SendWatch } from './send-watch.js';
import { endsWithConnection, hasPassed, lateError } from './undici-transport.js';

/** The `transport` option of axios' own adapter. */
interface NodeTransport {
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

/**
 * Node's own client, for a proxy, an agent or other options that only axios' adapter obeys. It compares a
 * payment with the requested one after all changes. It notes when sending begins, after connecting and the
 * TLS handshake.
 */
export function watchedTransport(watch: SendWatch): NodeTransport {
  return {
    request: (options, onResponse) => {
      watch.taken += 1;
      const { asked } = watch;
      const sent = asked && sentAs(options, asked);
      const client = options.protocol === 'https:' ? https : http;
      if (isWithoutTunnel(options)) Object.assign(options, NO_CONNECTION);
      // An application may have set another signal.
      const request = client.request(Object.assign(options, { signal: watch.signal }), (response) => {
        noteAnswer(response, watch);
        onResponse(response);
      });
      request.once('socket', (socket) => {
        whenReady(socket, watch, () => {
          if (watch.over) request.destroy(new Error('given up before sending'));
          else if (hasPassed(watch.limits)) request.destroy(lateError());
          else noteStart(watch);
        });
      });
      if (sent) {
        holdBody(request, (body) => {
          refuseChanged(watch, { ...sent, body });
        });
      }
      return request;
    },
  };
}

/**
 * Whether a proxy would get an https request to hand on, and read the secret and the payment in it. Axios before 1.16.1
 * asks a proxy so, instead of for a tunnel.
 */
function isWithoutTunnel({ path }: RequestOptions): boolean {
  return /^https:/i.test(path ?? '');
}

/** Fails as a connection does. An exception would end the process: the first versions of axios 1 don't catch it. */
const NO_CONNECTION: RequestOptions = {
  agent: undefined,
  createConnection: () => {
    throw Object.assign(new Error('no tunnel through the proxy'), { code: 'PROXY_WITHOUT_TUNNEL' });
  },
};

/** Notes a complete answer before axios gets it. */
function noteAnswer(response: IncomingMessage, watch: SendWatch): void {
  const chunks: Buffer[] = [];
  const { statusCode: status = 0, headers } = response;
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.once('end', () => {
    // As axios reads it.
    const data = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const cut = endsWithConnection(headers) && { mayBeCutOff: true as const };
    watch.answer = readAnswer({ status, headers, data, ...cut });
  });
}

/** The request as Node's client gets it, without the body, which comes later. */
export function sentAs(
  { protocol, hostname, port, socketPath, path, method, headers }: RequestOptions,
  asked: OutgoingRequest,
): OutgoingRequest {
  const host = hostname?.includes(':') ? `[${hostname}]` : hostname;
  // A local socket has no host. For a proxy, the path holds the whole address.
  const address = `${protocol}//${host}${port ? `:${port}` : ''}`;
  const target = path?.startsWith('/') ? `${socketPath === undefined ? address : asked.origin}${path}` : path;
  const { origin, pathname, search } = new URL(target ?? '');
  return {
    method: method as OutgoingRequest['method'],
    origin,
    path: pathname + search,
    headers: headers as OutgoingRequest['headers'],
    body: asked.body,
  };
}

/**
 * Sends nothing before the whole body has come and was checked.
 *
 * @param check Throws if the body must not be sent.
 */
function holdBody(request: ClientRequest, check: (body: string) => void): void {
  const chunks: Buffer[] = [];
  const end = request.end.bind(request) as (body: Buffer) => ClientRequest;
  const write = (chunk: string | Uint8Array): boolean => chunks.push(Buffer.from(chunk as string)) > 0;
  // Older versions of axios 1 pass the body with the end.
  const checkAndEnd = (last?: string | Uint8Array): ClientRequest => {
    if (last !== undefined) write(last);
    const body = Buffer.concat(chunks);
    try {
      check(body.toString('utf8'));
    } catch (error) {
      return request.destroy(error as Error);
    }
    return end(body);
  };
  Object.assign(request, { write, end: checkAndEnd });
}

/**
 * Calls back before the first byte is written. A socket that reports no state is ready. A socket that is not
 * writable never is: a proxy refused the tunnel, and the socket only brings the proxy's answer.
 */
function whenReady(
  socket: Socket & Partial<Pick<TLSSocket, 'encrypted'>>,
  watch: Pick<SendWatch, 'tunnelRefused'>,
  ready: () => void,
): void {
  if ((socket.writable as boolean | undefined) === false) {
    watch.tunnelRefused = true;
    return;
  }
  const isSecuring =
    socket.encrypted === true && (socket as { secureConnecting?: boolean }).secureConnecting === true;
  if (isSecuring) socket.once('secureConnect', ready);
  else if (socket.connecting) socket.once('connect', ready);
  else ready();
}
