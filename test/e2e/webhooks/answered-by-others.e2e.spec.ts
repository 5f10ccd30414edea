import { afterEach, describe, expect, it } from 'vitest';
import { type CanActivate, Controller, HttpCode, Injectable, Module, Post, Req, Res } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { PaymentsModule, PaymentsWebhook } from 'nestjs-payments';
import { paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const MEBIBYTE = 1_048_576;

/** Lets nobody in, before the guard of the package is asked. */
@Injectable()
class Nobody implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

const nobody = { provide: APP_GUARD, useClass: Nobody };

/** Routes below the path pattern of the webhooks that answer before they have read anything. */
@Controller('hooks')
class EarlyAnswers {
  static read: Promise<number>;

  @Post('busy')
  busy(@Res() response: ServerResponse): void {
    response.writeHead(202).end('come later');
  }

  @Post('reads-on')
  readsOn(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    EarlyAnswers.read = lengthOf(request);
    response.writeHead(202).end('still reading');
  }
}

async function lengthOf(request: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  return length;
}

@Controller('hooks')
class Tenants {
  @PaymentsWebhook(':tenant')
  @HttpCode(200)
  received(): void {}
}

function headOf(path: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: shop.test',
    'Content-Type: application/json',
    'X-Webhook-Signature: forged',
    'Transfer-Encoding: chunked',
    '',
    '',
  ].join('\r\n');
}

function chunkOf(length: number): string {
  return `${length.toString(16)}\r\n${' '.repeat(length)}\r\n`;
}

/** Sends a body, then asks for something else on the same connection; gives the statuses of both answers. */
async function statusesOn(port: number, path: string, length: number): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.write(headOf(path));
  for (let left = length; left > 0; left -= 30_000) socket.write(chunkOf(Math.min(left, 30_000)));
  socket.write('0\r\n\r\n');
  socket.write('GET /nothing HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
}

describe('a body that the package refused, if other code answers in its place', () => {
  let running: WebhookApp | undefined;

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  // On Express the package answers what it refuses before any guard of the application does.
  describe('on Fastify', () => {
    it.each([
      ['too long', 300_000],
      ['short enough', 60_000],
    ])('leaves the connection usable when it is %s and a guard answers 403', async (_what, length) => {
      running = await startWebhookApp('fastify', { controllers: [WebhooksController], providers: [nobody] });
      expect(await statusesOn(running.port, '/webhooks/payments', length)).toEqual(['403', '404']);
    });

    it('is read no further than any refused one, when a guard answers 403 to an upload without an end', async () => {
      running = await startWebhookApp('fastify', { controllers: [WebhooksController], providers: [nobody] });
      const accepted = once(running.app.getHttpServer() as Server, 'connection') as Promise<[Socket]>;
      const socket = connect(running.port, '127.0.0.1');
      const ends = new Promise((resolve) => socket.once('close', resolve));
      // The sender finds out by a reset that nobody listens any more.
      socket.on('error', () => undefined).resume();
      socket.write(headOf('/webhooks/payments'));
      const [peer] = await accepted;
      while (socket.writable) {
        if (socket.write(chunkOf(65_536))) await new Promise(setImmediate);
        else await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
      }
      await ends;
      expect(peer.bytesRead).toBeLessThan(6 * MEBIBYTE);
    });
  });

  it.each([
    ['too long', 300_000],
    ['short enough', 60_000],
  ])(
    'leaves the connection usable when it is %s and a middleware of Express answers 429',
    async (_what, length) => {
      running = await startWebhookApp('express', {
        controllers: [WebhooksController],
        prepare: (app) => {
          app.use(({ method }: IncomingMessage, response: ServerResponse, next: () => void) => {
            if (method === 'POST') response.writeHead(429).end('slow down');
            else next();
          });
        },
      });
      expect(await statusesOn(running.port, '/webhooks/payments', length)).toEqual(['429', '404']);
    },
  );

  it('leaves the connection usable when another route of the same path pattern answers before it reads', async () => {
    running = await startWebhookApp('express', {
      controllers: [EarlyAnswers, Tenants],
      nest: { bodyParser: false },
    });
    expect(await statusesOn(running.port, '/hooks/busy', 300_000)).toEqual(['202', '404']);
  });

  it('stays whole, however long it is, for another route that answers first and reads then', async () => {
    running = await startWebhookApp('express', {
      controllers: [EarlyAnswers, Tenants],
      nest: { bodyParser: false },
    });
    const length = 6 * MEBIBYTE;
    expect(await statusesOn(running.port, '/hooks/reads-on', length)).toEqual(['202', '404']);
    expect(await EarlyAnswers.read).toBe(length);
  });

  it.each<[string, Record<string, string>]>([
    ['too long', {}],
    ['too long and says so', { 'content-length': '300000' }],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])(
    'leaves no stream of HTTP/2 open, and the application closes, when it is %s and a guard answers 403',
    async (_what, headers) => {
      @Module({
        imports: [PaymentsModule.forRoot(paymentsOptions())],
        controllers: [WebhooksController],
        providers: [nobody],
      })
      class AppModule {}
      const adapter = new FastifyAdapter({ http2: true } as object);
      const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger: false });
      await app.listen(0, '127.0.0.1');
      const { port } = (app.getHttpServer() as unknown as Server).address() as AddressInfo;
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      const stream = session.request({
        ':method': 'POST',
        ':path': '/webhooks/payments',
        'content-type': 'application/json',
        'x-webhook-signature': 'forged',
        ...headers,
      });
      // A sender that is still writing may be told to stop.
      stream.on('error', () => undefined);
      const answered = once(stream, 'response') as Promise<[Record<string, unknown>]>;
      stream.end(' '.repeat(300_000));
      expect((await answered)[0][':status']).toBe(403);
      stream.resume();
      if (!stream.closed) await once(stream, 'close');
      session.close();
      await app.close();
    },
  );
});
