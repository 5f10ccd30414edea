import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onPaymentsDiagnostics, WEBHOOK_REFUSED_CHANNEL } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import {
  adapters,
  deliver,
  scheme,
  secret,
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

@Controller('uploads')
class UploadsController {
  @Post()
  @HttpCode(200)
  async take(@Req() request: IncomingMessage & { readonly raw?: IncomingMessage }): Promise<string> {
    let length = 0;
    for await (const chunk of request.raw ?? request) length += (chunk as Uint8Array).length;
    return String(length);
  }
}

/** A delivery as it crosses the wire. */
function onTheWire(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Buffer {
  const all = {
    host: 'shop.test',
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...signWebhook({ scheme, secret, body }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /webhooks/payments HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** The statuses that come back over one connection, until there are as many as were asked for. */
async function statuses(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
    if (found.length >= count) return found;
  }
  throw new Error(`the connection was closed after: ${text}`);
}

/** Fastify refuses what it cannot parse, unless a parser leaves it to the route. */
function letStreamsThrough(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addContentTypeParser('application/octet-stream', (_request, _payload, done) => {
    done(null);
  });
}

describe.each(adapters)('a hostile sender on %s', (adapter) => {
  let running: WebhookApp;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', note);
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController, UploadsController],
      prepare: (app) => {
        if (adapter === 'fastify') letStreamsThrough(app as NestFastifyApplication);
      },
    });
  });

  afterEach(async () => {
    await running.app.close();
    process.off('unhandledRejection', note);
    expect(unhandled.splice(0)).toEqual([]);
  });

  const good = (): Buffer => Buffer.from(JSON.stringify(paymentEvent('payment.success')));

  it('leaves nothing behind when the upload is aborted', async () => {
    const server = running.app.getHttpServer() as Server;
    const refused: number[] = [];
    const stop = onPaymentsDiagnostics(WEBHOOK_REFUSED_CHANNEL, ({ status }) => {
      refused.push(status);
    });
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const requested = once(server, 'request') as Promise<[IncomingMessage]>;
      const socket = connect(running.port, '127.0.0.1');
      socket.write(onTheWire(good(), { 'content-length': '100000', ...headers }));
      const [request] = await requested;
      const closed = new Promise((resolve) => request.socket.once('close', resolve));
      socket.destroy();
      await closed;
    }
    expect((await deliver(running.port, good())).status).toBe(200);
    stop();
    expect(running.logs.of('error')).toEqual([]);
    // It never came to the guard.
    expect(refused).not.toContain(400);
  });

  it('is refused delivery by delivery: the next one on the same connection is read from its first byte', async () => {
    const socket = connect(running.port, '127.0.0.1');
    const tooLong = Buffer.alloc(300_000, ' ');
    socket.write(
      Buffer.concat([
        onTheWire(good(), { 'x-webhook-signature': 'f'.repeat(64) }),
        onTheWire(tooLong),
        onTheWire(gzipSync(good()), { 'content-encoding': 'gzip' }),
        onTheWire(Buffer.from('{')),
        onTheWire(good()),
      ]),
    );
    expect(await statuses(socket, 5)).toEqual(['401', '413', '415', '400', '200']);
  });

  it('is let on with a body that waits for 100-continue', async () => {
    const socket = connect(running.port, '127.0.0.1');
    const body = good();
    const whole = onTheWire(body, { expect: '100-continue' });
    socket.write(whole.subarray(0, whole.length - body.length));
    await once(socket, 'readable');
    socket.write(body);
    expect(await statuses(socket, 2)).toEqual(['100', '200']);
  });

  it('has its delivery read however slowly the bytes come', async () => {
    const socket = connect(running.port, '127.0.0.1').setNoDelay();
    for (const byte of onTheWire(good())) {
      await new Promise<void>((resolve) => {
        socket.write(Buffer.of(byte), () => {
          resolve();
        });
      });
    }
    expect(await statuses(socket, 1)).toEqual(['200']);
  });

  it('does not cost another route its stream', async () => {
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await send(running.port, '/uploads', Buffer.alloc(500_000), headers);
    expect(answer.text).toBe('500000');
  });
});
