import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { paymentEvent } from 'nestjs-payments/testing';
import { adapters, deliver, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const MEBIBYTE = 1_048_576;

/** The head of a delivery whose body is still to come. */
function head(...lines: readonly string[]): string {
  return [
    'POST /webhooks/payments HTTP/1.1',
    'Host: shop.test',
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');
}

/** Everything that comes back until the connection ends. */
async function everything(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

/** Writes the same chunk again and again, as fast as the other side reads, until the connection is gone. */
async function writeForEver(socket: Socket, chunk: string): Promise<void> {
  while (socket.writable) {
    if (socket.write(chunk)) await new Promise(setImmediate);
    else await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  }
}

describe.each(adapters)('an upload that is refused on %s', (adapter) => {
  let running: WebhookApp;
  let server: Server;

  beforeEach(async () => {
    running = await startWebhookApp(adapter, { controllers: [WebhooksController] });
    server = running.app.getHttpServer() as Server;
  });

  afterEach(async () => {
    vi.useRealTimers();
    await running.app.close();
    expect(running.logs.of('error')).toEqual([]);
  });

  it.each([
    ['is too long', ['X-Webhook-Signature: forged']],
    ['is compressed', ['Content-Encoding: gzip']],
  ])('is answered when it %s, and cut off if it never ends', async (what, headers) => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(running.port, '127.0.0.1');
    const ends = new Promise((resolve) => socket.once('close', resolve));
    // The sender finds out by a reset that nobody listens any more.
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.write(head('Transfer-Encoding: chunked', ...headers));
    const [peer] = await accepted;
    await writeForEver(socket, `10000\r\n${' '.repeat(0x10000)}\r\n`);
    await ends;
    expect(text).toMatch(what === 'is too long' ? /^HTTP\/1\.1 413 / : /^HTTP\/1\.1 415 /);
    expect(peer.bytesRead).toBeLessThan(6 * MEBIBYTE);
  });

  it('may be written to its end by a sender that reads only then, and the connection lives on', async () => {
    const socket = connect(running.port, '127.0.0.1');
    const body = Buffer.alloc(3 * MEBIBYTE, ' ');
    socket.write(head(`Content-Length: ${body.length}`));
    await new Promise<void>((resolve) =>
      socket.write(body, () => {
        resolve();
      }),
    );
    socket.write(head('Content-Length: 0', 'Connection: close'));
    const answers = await everything(socket);
    expect([...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['413', '401']);
  });

  it('is not cut off by a reset if the sender asks to close the connection after the answer', async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.write(head(`Content-Length: ${MEBIBYTE}`, 'Connection: close'));
    socket.write(Buffer.alloc(MEBIBYTE / 2, ' '));
    await once(socket, 'readable');
    socket.write(Buffer.alloc(MEBIBYTE / 2, ' '));
    expect(await everything(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('reaches a client of node:http that is still writing', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: running.port,
      path: '/webhooks/payments',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': 'forged' },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    const answered = once(outgoing, 'response') as Promise<[{ readonly statusCode: number }]>;
    outgoing.write(Buffer.alloc(MEBIBYTE, ' '));
    expect((await answered)[0].statusCode).toBe(413);
    outgoing.destroy();
  });

  it('is given up when the sender neither continues nor leaves', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    });
    const socket = connect(running.port, '127.0.0.1');
    socket.write(head('Content-Length: 1000000', 'Content-Encoding: gzip'));
    socket.write('x');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 415 /);
    const closed = once(socket, 'close');
    vi.advanceTimersByTime(5_000);
    await closed;
  });

  it('leaves the application able to receive', async () => {
    const socket = connect(running.port, '127.0.0.1');
    socket.write(head('Content-Length: 1000000', 'Content-Encoding: gzip'));
    socket.write('x');
    await once(socket, 'data');
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    socket.destroy();
  });
});
