import { request as requestHttp, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';

/** The steps of a request, in order. */
export type ExchangeStep = 'lookup' | 'connect' | 'tls' | 'answer';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The first 64 kB of the body. */
  readonly text: string;
  /** The body is longer. */
  readonly isCut?: true;
  readonly durationMs: number;
}

interface Unanswered {
  readonly step: ExchangeStep;
  readonly problem: string;
  readonly durationMs: number;
}

export type RequestRecord = Answered | Unanswered;

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

const TIMEOUT_MS = 30_000;
const LONGEST_TEXT = 65_536;

export function isAnswered(exchange: RequestRecord): exchange is Answered {
  return 'status' in exchange;
}

/** Sends one request on a connection of its own, without following redirects. Never rejects. */
export function exchange(
  url: URL,
  { method, headers, body }: ExchangeRequest,
  timeoutMs: number = TIMEOUT_MS,
): Promise<RequestRecord> {
  return new Promise((resolve) => {
    const started = performance.now();
    const durationMs = (): number => Math.round(performance.now() - started);
    let step: ExchangeStep = isAddress(url) ? 'connect' : 'lookup';
    const options: RequestOptions = {
      method,
      agent: false,
      headers: body ? { ...headers, 'content-length': body.length } : { ...headers },
    };
    const outgoing = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      resolve({ step, problem: problemOf(error, url), durationMs: durationMs() });
    };
    const timer = setTimeout(() => {
      outgoing.destroy(new Error(`nothing came within ${timeoutMs / 1_000} s`));
    }, timeoutMs);
    outgoing.on('socket', (socket) => {
      followSteps(socket, url, (next) => (step = next));
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      let isCut = false;
      response.on('data', (chunk: string) => {
        isCut ||= text.length + chunk.length > LONGEST_TEXT;
        text = (text + chunk).slice(0, LONGEST_TEXT);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          ...(isCut && { isCut }),
          durationMs: durationMs(),
        });
      });
    });
    outgoing.end(body);
  });
}

function followSteps(socket: Socket, url: URL, enter: (step: ExchangeStep) => void): void {
  socket.on('lookup', (error) => {
    // No error: the name has an address.
    if (!(error as Error | null)) enter('connect');
  });
  socket.on('connect', () => {
    enter(url.protocol === 'https:' ? 'tls' : 'answer');
  });
  socket.on('secureConnect', () => {
    enter('answer');
  });
}

function isAddress({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
}

function problemOf(error: NodeJS.ErrnoException, { host, hostname }: URL): string {
  switch (error.code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${hostname} has no address`;
    case 'ECONNREFUSED':
      return `nothing listens at ${host}`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection ended without an answer';
    case 'EPROTO':
      return `${host} does not speak TLS`;
    default:
      // An AggregateError for several addresses has an empty message.
      return error.message || error.code || 'the connection failed';
  }
}
