import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventEmitter, once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { type CanActivate, type INestApplication, Injectable, UnauthorizedException } from '@nestjs/common';
import { type AbstractHttpAdapter, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { OnPayment, PaymentsModule } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { ADAPTERS } from '../../support/adapters.js';
import { LogLines, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const body = JSON.stringify(paymentEvent('payment.success'));

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    return;
  }
}

describe('a delivery that a guard refuses after the client cut it off', () => {
  let gate: EventEmitter;
  let logs: LogLines;
  let app: INestApplication;
  beforeEach(() => {
    gate = new EventEmitter();
    logs = new LogLines();
  });
  afterEach(() => app.close());

  /** Starts an application whose guard refuses a request once its client is gone. */
  async function start(adapter: AbstractHttpAdapter): Promise<URL> {
    @Injectable()
    class SlowGuard implements CanActivate {
      async canActivate(): Promise<boolean> {
        const cutOff = once(gate, 'cut off');
        gate.emit('arrived');
        await cutOff;
        throw new UnauthorizedException();
      }
    }
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(paymentsOptions({ retentionDays: Infinity }))],
      controllers: [WebhooksController],
      providers: [Orders, { provide: APP_GUARD, useClass: SlowGuard }],
    }).compile();
    app = module.createNestApplication(adapter, { logger: logs });
    app.use((_request: unknown, response: ServerResponse, next: () => void) => {
      response.once('close', () => gate.emit('closed'));
      next();
    });
    await app.listen(0, '127.0.0.1');
    return new URL(await app.getUrl());
  }

  /** The lines about foreign answers, after the client sent a delivery and cut it off at the guard. */
  async function linesAfter(send: () => void, cutOff: () => void): Promise<readonly string[]> {
    const [arrived, closed] = [once(gate, 'arrived'), once(gate, 'closed')];
    send();
    await arrived;
    cutOff();
    await closed;
    gate.emit('cut off');
    await app.close();
    return logs.webhooks('error');
  }

  it.each(ADAPTERS)('gives no line on %s', async (_name, adapter) => {
    const { port } = await start(adapter());
    const signature = Object.entries(signWebhook({ scheme, secret, body }))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const client = connect(Number(port), '127.0.0.1');
    const send = (): void => {
      client.write(
        `POST /webhooks/payments HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${signature}` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    };
    expect(await linesAfter(send, () => client.destroy())).toEqual([]);
  });

  it('gives no line on HTTP/2, where every stream finishes', async () => {
    const { href } = await start(new FastifyAdapter({ http2: true }));
    const client = connectHttp2(href);
    const stream = client.request({
      ':method': 'POST',
      ':path': '/webhooks/payments',
      'content-type': 'application/json',
      ...signWebhook({ scheme, secret, body }),
    });
    const cutOff = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      stream.once('close', () => {
        client.close();
      });
    };
    expect(await linesAfter(() => stream.end(body), cutOff)).toEqual([]);
  });
});
