import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type CapturedBody,
  peekBody,
  type ReadLimits,
  UnverifiedBytes,
} from '../../../../lib/webhooks/raw-body/captured-body.js';

type Reader = (request: IncomingMessage) => Promise<Buffer>;

/** The ways in which an application reads a request. */
const READERS: readonly (readonly [name: string, read: Reader])[] = [
  [
    'by events',
    (request) =>
      new Promise((resolve) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          resolve(Buffer.concat(chunks));
        });
      }),
  ],
  ['by iteration', (request) => buffer(request)],
  ['by a pipe', (request) => buffer(request.pipe(new PassThrough()))],
  [
    'by read()',
    (request) =>
      new Promise((resolve) => {
        const chunks: Buffer[] = [];
        request.on('readable', () => {
          for (let chunk = request.read() as Buffer | null; chunk; chunk = request.read() as Buffer | null) {
            chunks.push(chunk);
          }
        });
        request.on('end', () => {
          resolve(Buffer.concat(chunks));
        });
      }),
  ],
];

const chunked = (...chunks: readonly string[]): string[] => [
  ...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`),
  '0\r\n\r\n',
];
const long = 'x'.repeat(200_000);

/** How a body comes: headers, what the first packet holds after them, and the packets that follow. */
const BODIES: readonly (readonly [
  name: string,
  head: string,
  first: string,
  rest: readonly string[],
  body: string,
])[] = [
  ['with its head', 'Content-Length: 4', 'body', [], 'body'],
  ['after its head', 'Content-Length: 4', '', ['body'], 'body'],
  ['in three packets', 'Content-Length: 6', 'bo', ['di', 'es'], 'bodies'],
  ['byte by byte', 'Content-Length: 5', '', Array.from('bytes'), 'bytes'],
  ['as one of many packets', `Content-Length: ${long.length}`, '', [long], long],
  ['in chunks with its head', 'Transfer-Encoding: chunked', chunked('bo', 'dy').join(''), [], 'body'],
  ['in chunks after its head', 'Transfer-Encoding: chunked', '', chunked('bo', 'dy'), 'body'],
  [
    'in chunks of a byte',
    'Transfer-Encoding: chunked',
    '',
    [chunked('b', 'y', 't', 'e', 's').join('')],
    'bytes',
  ],
  ['in chunks, its end alone', 'Transfer-Encoding: chunked', '4\r\nbody\r\n', ['0\r\n\r\n'], 'body'],
  ['empty, as its length says', 'Content-Length: 0', '', [], ''],
  ['empty, without a length', 'X-None: 1', '', [], ''],
  ['empty, in chunks', 'Transfer-Encoding: chunked', '0\r\n\r\n', [], ''],
  ['empty, in chunks after its head', 'Transfer-Encoding: chunked', '', ['0\r\n\r\n'], ''],
];

const limitsOf = ({ headers }: IncomingMessage, bytes: number, ms = 60_000): ReadLimits => ({
  bytes,
  ms,
  announced: Number(headers['content-length'] ?? Number.NaN),
  unverified: new UnverifiedBytes().body(bytes * 2),
});

const textOf = (body: CapturedBody): string => ('bytes' in body ? String(body.bytes) : '');

describe('a body that was peeked at', () => {
  let server: Server;
  let socket: Socket;

  /** The request on the server's side, of which only the first packet has been sent. */
  async function requested(head: string, first = ''): Promise<IncomingMessage> {
    const arrives = once(server, 'request') as Promise<[IncomingMessage]>;
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
    socket.on('error', () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: shop.test\r\n${head}\r\n\r\n${first}`);
    const [request] = await arrives;
    return request;
  }

  const peeked = (request: IncomingMessage, limit = 1_000_000): Promise<CapturedBody> =>
    new Promise((resolve) => {
      peekBody(request, limitsOf(request, limit), resolve);
    });

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    socket.destroy();
    server.close();
    await once(server, 'close');
  });

  describe.each(BODIES)('when it comes %s', (_name, head, first, rest, body) => {
    it.each(READERS)('is known, and read again %s', async (_reader, read) => {
      const peeking = once(server, 'request').then(async ([request]) => ({
        request: request as IncomingMessage,
        seen: await peeked(request as IncomingMessage),
      }));
      const request = await requested(head, first);
      for (const packet of rest) await new Promise((resolve) => socket.write(packet, resolve));
      const { seen } = await peeking;
      expect(textOf(seen)).toBe(body);
      expect((await read(request)).toString()).toBe(body);
    });

    it.each(READERS)('is known to who looks at it later, and read again %s', async (_reader, read) => {
      const request = await requested(head, first);
      for (const packet of rest) await new Promise((resolve) => socket.write(packet, resolve));
      await new Promise(setImmediate);
      expect(textOf(await peeked(request))).toBe(body);
      expect((await read(request)).toString()).toBe(body);
    });
  });

  it.each([
    ['as more comes', 'Content-Length: 9', 'too long '],
    ['as its chunks show', 'Transfer-Encoding: chunked', '9\r\ntoo long \r\n'],
  ])(
    'is given up when it is too long, %s, and read to its end by who wants it',
    async (_how, head, first) => {
      const request = await requested(head, first);
      expect(await peeked(request, 8)).toEqual({ refusedWith: 413 });
      if (head.startsWith('Transfer')) socket.write('0\r\n\r\n');
      expect(String(await buffer(request))).toBe('too long ');
    },
  );

  it('is given up when it comes too slowly, and read to its end by who waits', async () => {
    const request = await requested('Content-Length: 9', 'half ');
    const seen = await new Promise((resolve) => {
      peekBody(request, limitsOf(request, 100, 20), resolve);
    });
    expect(seen).toEqual({ refusedWith: 408 });
    socket.write('half');
    expect(String(await buffer(request))).toBe('half half');
  });

  it.each([
    ['comes whole', 'body'],
    ['comes in parts', 'bo'],
  ])(
    'is given up if there is no room for it when it %s, and a later reader can read it',
    async (_how, first) => {
      const request = await requested('Content-Length: 4', first);
      const seen = await new Promise((resolve) => {
        const unverified = new UnverifiedBytes().body(3);
        peekBody(request, { ...limitsOf(request, 100), unverified }, resolve);
      });
      expect(seen).toEqual({ refusedWith: 503 });
      socket.write('body'.slice(first.length));
      expect(String(await buffer(request))).toBe('body');
    },
  );

  it('is broken off if the sender hangs up', async () => {
    const request = await requested('Content-Length: 9', 'half');
    const peeking = peeked(request);
    socket.destroy();
    expect(await peeking).toEqual({ refusedWith: 400 });
  });

  it('is not waited for longer than its stream lasts', async () => {
    const stream = Object.assign(new PassThrough(), { headers: {} });
    const peeking = peeked(stream as unknown as IncomingMessage);
    stream.write('as it ');
    stream.end('came');
    expect(textOf(await peeking)).toBe('as it came');
  });

  it('leaves no listener behind, and keeps the context of who asked', async () => {
    const request = await requested('Content-Length: 4', 'bo');
    const before = request.eventNames();
    const context = new AsyncLocalStorage<string>();
    const peeking = new Promise((resolve) => {
      context.run('mine', () => {
        peekBody(request, limitsOf(request, 10), () => {
          resolve(context.getStore());
        });
      });
    });
    await new Promise(setImmediate);
    socket.write('dy');
    expect(await peeking).toBe('mine');
    expect(request.eventNames()).toEqual(before);
  });
});
