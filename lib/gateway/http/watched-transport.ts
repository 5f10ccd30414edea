import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { type Socket } from 'node:net';
import { type TLSSocket } from 'node:tls';
import { type OutgoingRequest } from './http-transport.js';
import { readAnswer } from './send-attempt.js';
import { noteStart, refuseChanged, type SendWatch } from './send-watch.js';

/** What axios' own adapter sends through. */
export interface HttpTransport {
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest;
}

/**
 * Node's own client, for a proxy, an agent or whatever else only axios' adapter obeys. It compares a payment
 * with what was asked for, where nothing can change it any more, and notes the moment at which sending
 * begins: on a connection that is there, and that has been secured where it must be.
 */
export function watchedTransport(watch: SendWatch): HttpTransport {
  return {
    request: (options, onResponse) => {
      watch.taken += 1;
      const { asked } = watch;
      const sent = asked && sentAs(options, asked);
      const client = options.protocol === 'https:' ? https : http;
      // An application may have put another signal into the request.
      const request = client.request(Object.assign(options, { signal: watch.signal }), (response) => {
        noteAnswer(response, watch);
        onResponse(response);
      });
      request.once('socket', (socket) => {
        whenReady(socket, watch, () => {
          if (watch.over) request.destroy(new Error('given up before sending'));
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

/** Notes a whole answer, before axios hands it on. */
function noteAnswer(response: IncomingMessage, watch: SendWatch): void {
  const chunks: Buffer[] = [];
  const { statusCode: status = 0, headers } = response;
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.once('end', () => {
    // As axios reads it.
    const data = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    watch.answer = readAnswer({ status, headers, data });
  });
}

/** What Node's client is told to send: all but the body, which comes later. */
export function sentAs(
  { protocol, hostname, port, socketPath, path, method, headers }: RequestOptions,
  asked: OutgoingRequest,
): OutgoingRequest {
  const host = hostname?.includes(':') ? `[${hostname}]` : hostname;
  // A socket of this machine has no host; the request that a proxy hands on has it in its path.
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
 * Sends nothing before the whole body is there and was checked.
 *
 * @param check Throws where the body must not be sent.
 */
function holdBody(request: ClientRequest, check: (body: string) => void): void {
  const chunks: Buffer[] = [];
  const end = request.end.bind(request) as (body: Buffer) => ClientRequest;
  const write = (chunk: string | Uint8Array): boolean => chunks.push(Buffer.from(chunk as string)) > 0;
  const checkAndEnd = (): ClientRequest => {
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
 * Calls back before the first byte is written. A socket that tells nothing about itself is ready; one that
 * cannot be written to never is: it stands for a tunnel that a proxy refused, and only carries the proxy's
 * answer.
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
