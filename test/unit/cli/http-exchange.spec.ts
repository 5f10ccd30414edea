import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange } from '../../../lib/cli/http-exchange.js';

const GET = { method: 'GET', headers: {} } as const;
let open: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(open.map((close) => close()));
  open = [];
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.close();
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

function listen(handler: RequestListener): Promise<number> {
  return portOf(createServer(handler));
}

describe('one request', () => {
  it('gives status, headers and body, and sends the exact bytes', async () => {
    const received: Buffer[] = [];
    const port = await listen((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk));
      request.on('end', () => response.writeHead(422, { 'x-seen': '1' }).end('no'));
    });
    const body = Buffer.from('é\n');
    const answer = await exchange(new URL(`http://127.0.0.1:${port}/`), {
      method: 'POST',
      headers: {},
      body,
    });
    expect(answer).toMatchObject({ status: 422, text: 'no', headers: { 'x-seen': '1' } });
    expect(Buffer.concat(received)).toEqual(body);
  });

  it('keeps no more than 64 kB of an answer', async () => {
    const port = await listen((_, response) => response.end('x'.repeat(1_000_000)));
    const answer = await exchange(new URL(`http://127.0.0.1:${port}/`), GET);
    expect('text' in answer && answer.text.length).toBe(65_536);
  });

  it('says at which step it failed, and why', async () => {
    const silent = await listen(() => {});
    const cutter = await listen(({ socket }) => socket.destroy());
    const partial = await listen((_, response) => {
      response.writeHead(200, { 'content-length': '9' });
      response.write('x', () => response.destroy());
    });
    const noTls = await portOf(createTcp((socket) => socket.resume().end('hello\r\n')));
    const stranger = await portOf(
      createHttps({
        key: readFileSync('test/support/tls/stranger.key.pem'),
        cert: readFileSync('test/support/tls/stranger.cert.pem'),
      }),
    );
    const ends = await Promise.all(
      [
        `http://127.0.0.1:9`,
        `http://127.0.0.1:${silent}`,
        `http://127.0.0.1:${cutter}`,
        `http://127.0.0.1:${partial}`,
        `https://127.0.0.1:${noTls}`,
        `https://127.0.0.1:${stranger}`,
        'http://no-such-host.invalid',
      ].map((address) => {
        // Only one of them waits until the end of its time.
        const limitMs = address.endsWith(`:${silent}`) ? 500 : 30_000;
        return exchange(new URL(address), GET, limitMs);
      }),
    );
    expect(ends.map((end) => ('step' in end ? `${end.step}: ${end.problem}` : end.status))).toEqual([
      'connect: nothing listens at 127.0.0.1:9',
      'answer: nothing came within 0.5 s',
      'answer: the connection ended without an answer',
      'answer: the connection ended without an answer',
      expect.stringMatching(/^tls: /),
      expect.stringMatching(/^(tls|answer): .*certificate/),
      'lookup: the name no-such-host.invalid has no address',
    ]);
  });
});
