import { afterEach, describe, expect, it } from 'vitest';
import { Body, type CanActivate, Controller, HttpCode, Post } from '@nestjs/common';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  customScheme,
  onPaymentsDiagnostics,
  PaymentsWebhook,
  WEBHOOK_REFUSED_CHANNEL,
  type WebhookOptions,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import {
  adapters,
  deliver,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const KIBIBYTE = 1_024;
/** A delivery of 14 kB. */
const long = (): string =>
  JSON.stringify(paymentEvent('payment.success', { metadata: { note: 'x'.repeat(14_000) } }));

const FORGED = 'X-Webhook-Signature: forged';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What buffers hold that somebody still refers to. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe.each(adapters)('uploads that stall on %s', (adapter) => {
  let running: WebhookApp | undefined;
  let sockets: Socket[] = [];

  async function start(
    webhooks: Partial<WebhookOptions> = {},
    more: WebhookAppOptions = {},
  ): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions(webhooks)],
      ...more,
    });
    return running;
  }

  /** Begins a delivery of which `sent` bytes come, and then nothing. */
  function stall(sent: number, announced: number, ...headers: readonly string[]): Socket {
    const socket = connect(running!.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = [
      'POST /webhooks/payments HTTP/1.1',
      'Host: shop.test',
      'Content-Type: application/json',
      `Content-Length: ${announced}`,
      ...headers,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(sent)}`);
    sockets.push(socket);
    return socket;
  }

  const answerTo = async (socket: Socket): Promise<string> => {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  };
  const statusOf = async (socket: Socket): Promise<string> => (await answerTo(socket)).slice(9, 12);

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await running?.app.close();
    running = undefined;
  });

  it('are refused before their body comes if they lack a header of the scheme, like every forged one', async () => {
    const { port, logs } = await start();
    const refused: number[] = [];
    const stop = onPaymentsDiagnostics(WEBHOOK_REFUSED_CHANNEL, ({ status }) => void refused.push(status));
    const early = await answerTo(stall(100, 60_000));
    stop();
    const forged = await deliver(port, '{}', { headers: { 'x-webhook-signature': 'forged' } });
    expect(early).toMatch(/^HTTP\/1\.1 401 /);
    expect(early).toContain(forged.text);
    expect(forged.status).toBe(401);
    expect(refused).toEqual([401]);
    expect(logs.webhooks('warn').filter((line) => line.includes('lacks a header'))).toHaveLength(1);
  });

  it('are refused by their length alone if it is too long', async () => {
    await start();
    expect(await statusOf(stall(0, 65_537, FORGED))).toBe('413');
  });

  it('hold no more bytes together than they may, and what comes whole is received meanwhile', async () => {
    const room = 512 * KIBIBYTE;
    const { port } = await start({ unverifiedBytesLimit: room, bodyTimeoutMs: 60_000 });
    const before = heldBytes();
    const answers: string[] = [];
    const answered = new Promise<void>((resolve) => {
      // Half of the room is for bodies that have not come to their end: nine of 32 kB do not fit.
      for (let count = 0; count < 400; count += 1) {
        const socket = stall(32 * KIBIBYTE, 60_000, FORGED);
        void answerTo(socket).then((answer) => {
          answers.push(answer);
          if (answers.length === 392) resolve();
        });
      }
    });
    await answered;
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 503 '))).toBe(true);
    expect(answers.every((answer) => /\r\nretry-after: 5\r\n/i.test(answer))).toBe(true);
    // Beside the room there is what Node itself reads ahead, until it is thrown away; 400 bodies of 32 kB would be 13 MB.
    await expect.poll(() => heldBytes() - before).toBeLessThan(8 * KIBIBYTE * KIBIBYTE);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
  });

  it('give their room back when they are gone', async () => {
    const { app, port } = await start({ unverifiedBytesLimit: 20_000 });
    const server = app.getHttpServer() as Server;
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    const first = stall(9_000, 15_000, FORGED);
    const [request] = await arrived;
    expect(await statusOf(stall(9_000, 15_000, FORGED))).toBe('503');
    const body = long();
    expect((await deliver(port, body)).status).toBe(503);
    const gone = new Promise((resolve) => request.once('close', resolve));
    first.destroy();
    await gone;
    expect((await deliver(port, body)).status).toBe(200);
    // What was verified does not count any longer either.
    for (let again = 0; again < 3; again += 1) expect((await deliver(port, body)).status).toBe(200);
  });

  it('do not share the room with what a guard of the application refused', async () => {
    let opens = false;
    const refuses: CanActivate = { canActivate: () => opens };
    const { port } = await start(
      { unverifiedBytesLimit: 20_000 },
      { prepare: (app) => app.useGlobalGuards(refuses) },
    );
    for (let again = 0; again < 3; again += 1) expect((await deliver(port, long())).status).toBe(403);
    opens = true;
    expect((await deliver(port, long())).status).toBe(200);
  });

  it('do not share the room with what was verified and is being handled', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let calls = 0;
    @Controller('webhooks')
    class SlowController {
      @PaymentsWebhook('payments')
      async received(): Promise<void> {
        calls += 1;
        begin();
        if (calls === 1) await finished;
      }
    }
    const { port } = await start({ unverifiedBytesLimit: 20_000 }, { controllers: [SlowController] });
    const first = deliver(port, long());
    await begun;
    expect((await deliver(port, long())).status).toBe(200);
    finish();
    expect((await first).status).toBe(200);
  });

  it('are given up after a time, while others are received', async () => {
    const { port } = await start({ bodyTimeoutMs: 50 });
    const stalled = stall(100, 1_000, FORGED);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(await statusOf(stalled)).toBe('408');
  });

  it('are read first if the scheme does not name its headers', async () => {
    const scheme = customScheme({ name: 'partner', verify: () => ({ ok: true }) });
    const { port } = await start({ scheme });
    const json = { 'content-type': 'application/json' };
    const event = JSON.stringify(paymentEvent('payment.success'));
    expect((await send(port, '/webhooks/payments', event, json)).status).toBe(200);
  });

  it('are refused at once if a scheme of the application names its headers', async () => {
    const scheme = customScheme({
      name: 'partner',
      requiredHeaders: ['X-Partner'],
      verify: () => ({ ok: true }),
    });
    await start({ scheme });
    expect(await statusOf(stall(10, 100))).toBe('401');
  });

  it('are left to another route that may take them', async () => {
    // Without a host, the first of the two applications would not start.
    @Controller({ path: 'webhooks', host: '127.0.0.1' })
    class Neighbour {
      @Post('payments')
      @HttpCode(200)
      take(@Body() body: unknown): unknown {
        return body;
      }
    }
    @Controller({ path: 'webhooks', host: 'pay.test' })
    class HostBound extends WebhooksController {}
    if (adapter === 'fastify') return;
    const { port } = await start({}, { controllers: [Neighbour, WebhooksController] });
    expect((await send(port, '/webhooks/payments', '{"a":1}')).text).toBe('{"a":1}');
    await running?.app.close();
    const second = await start({}, { controllers: [HostBound, Neighbour] });
    expect((await send(second.port, '/webhooks/payments', '{"a":1}')).text).toBe('{"a":1}');
  });
});
