import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type PaymentWebhookEvent, stripeStyle, OnPayment } from 'nestjs-payments';
import { paymentsOptions, secret, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { bundleCli, type FinishedCli, runProcess } from '../../support/cli-process.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const heard: PaymentWebhookEvent[] = [];

@Injectable()
class Orders {
  @OnPayment('*')
  paid(event: PaymentWebhookEvent): void {
    heard.push(event);
    if (event.data.reference === 'order-that-breaks') throw new Error('no such order');
  }

  @OnPayment('unrecognized')
  @OnPayment('payment.conflict')
  odd(event: PaymentWebhookEvent): void {
    heard.push(event);
  }
}

let shop: WebhookApp;

beforeAll(async () => {
  await bundleCli();
  shop = await startWebhookApp('express', { controllers: [WebhooksController], providers: [Orders] });
});
afterAll(async () => {
  await shop.app.close();
});
beforeEach(() => {
  heard.length = 0;
});

function trigger(...args: string[]): Promise<FinishedCli> {
  return runProcess(['trigger', '--to', `http://127.0.0.1:${shop.port}/webhooks/payments`, ...args], {
    environment: { PAYMENTS_WEBHOOK_SECRET: secret },
  });
}

describe('nestjs-payments trigger', () => {
  it.each(['payment.success', 'payment.failed', 'payment.cancelled', 'payment.expired'])(
    'delivers %s to a real application',
    async (name) => {
      const { code, stdout, stderr } = await trigger(name);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^--> ${name} order-\\S+ to http://\\S+\n<-- 200 in \\d+ ms\n$`));
      expect(heard).toEqual([expect.objectContaining({ event: name })]);
      expect(heard[0]?.data.status).toBe(name.replace('payment.', ''));
    },
  );

  it('says that a name is none of the four, and which may be meant', async () => {
    const { code, stderr } = await trigger('payment.sucess');
    expect(code).toBe(0);
    expect(stderr).toContain(
      "payment.sucess is none of the four events: handlers of 'unrecognized' get it. Did you mean 'payment.success'?",
    );
    expect(heard.map(({ event }) => event)).toEqual(['payment.sucess']);
  });

  it('fills in what is said of the data, text and JSON, objects too', async () => {
    await trigger(
      'payment.success',
      '-d',
      'reference=order-7',
      '--data',
      'amount=1180.50',
      '-d',
      'metadata.shop=Kariakoo',
      '-d',
      'metadata.till:=7',
      '-d',
      'channel:=null',
    );
    expect(heard[0]?.data).toMatchObject({
      reference: 'order-7',
      amount: '1180.50',
      metadata: { shop: 'Kariakoo', till: 7 },
      channel: null,
    });
  });

  it('repeats a delivery, which the application handles once', async () => {
    const { code, stdout } = await trigger('payment.success', '--repeat', '3');
    expect(code).toBe(0);
    expect(stdout.match(/<-- 200/g)).toHaveLength(3);
    expect(heard).toHaveLength(1);
  });

  it('delivers all events of a run, shuffled, about one payment', async () => {
    const { stdout } = await trigger('payment.success', 'payment.failed', '--repeat', '2', '--shuffle');
    expect(stdout.match(/--> payment\.(success|failed)/g)?.sort()).toEqual([
      '--> payment.failed',
      '--> payment.failed',
      '--> payment.success',
      '--> payment.success',
    ]);
    expect(new Set(stdout.match(/order-\S+/g)).size).toBe(1);
  });

  it.each(['--forged', '--unsigned'])('ends with 0 when the application refuses %s', async (option) => {
    const { code, stdout } = await trigger('payment.success', option);
    expect(code).toBe(0);
    expect(stdout).toMatch(/<-- 401 in \d+ ms: refused, as it must be\n/);
    expect(heard).toEqual([]);
  });

  it('ends with 0 when the application refuses --stale, and takes the same in time', async () => {
    const scheme = stripeStyle({ header: 'x-webhook-signature' });
    const payments = [paymentsOptions({ scheme })];
    const timed = await startWebhookApp('fastify', {
      controllers: [WebhooksController],
      providers: [Orders],
      payments,
    });
    try {
      const to = ['trigger', 'payment.success', '--scheme', 'stripe', '--to'];
      const url = `http://127.0.0.1:${timed.port}/webhooks/payments`;
      const environment = { PAYMENTS_WEBHOOK_SECRET: secret };
      const stale = await runProcess([...to, url, '--stale'], { environment });
      expect(stale.code).toBe(0);
      expect(stale.stdout).toContain('(stale)\n<-- 401');
      expect(heard).toEqual([]);
      expect((await runProcess([...to, url], { environment })).code).toBe(0);
      expect(heard).toHaveLength(1);
    } finally {
      await timed.app.close();
    }
  });

  it('ends with 1 when the application takes what it must refuse', async () => {
    const taker = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(taker, 'listening');
    const to = `http://127.0.0.1:${(taker.address() as AddressInfo).port}/`;
    const { code, stdout } = await runProcess(['trigger', 'payment.success', '--forged', '--to', to], {
      environment: { PAYMENTS_WEBHOOK_SECRET: secret },
    });
    taker.close();
    expect(code).toBe(1);
    expect(stdout).toContain('taken, although it must be refused with 401!');
  });

  it('ends with 1 and the likely cause when the application has another secret, or another scheme', async () => {
    for (const options of [
      ['--secret', 'another-secret-of-16-bytes'],
      ['--encoding', 'base64'],
    ]) {
      const { code, stdout } = await trigger('payment.success', ...options);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /<-- 401 in \d+ ms: the signature was refused \(compare PAYMENTS_WEBHOOK_SECRET/,
      );
    }
    expect(heard).toEqual([]);
  });

  it('ends with 1 and the likely cause when a handler throws', async () => {
    const { code, stdout } = await trigger('payment.success', '-d', 'reference=order-that-breaks');
    expect(code).toBe(1);
    expect(stdout).toMatch(/<-- 500 in \d+ ms: a handler threw/);
  });

  it('takes hostile references and shows nothing that a terminal would obey', async () => {
    const { code, stdout } = await trigger('payment.success', '-d', 'reference:=5', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ reference: '5', status: 422 });
    const escape = await trigger('payment.success', '-d', 'reference=order\u001b[31m');
    expect(escape.stdout).toContain('order\uFFFD[31m');
    expect(escape.stdout).not.toContain('\u001b');
  });

  it('prints one line of JSON for each answer with --json, and no secret', async () => {
    const { stdout } = await trigger('payment.success', '--json', '--repeat', '2', '-d', 'reference=order-8');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual(
      [1, 2].map((): unknown =>
        expect.objectContaining({
          event: 'payment.success',
          reference: 'order-8',
          signature: 'good',
          status: 200,
          problem: null,
        }),
      ),
    );
    expect(stdout).not.toContain(secret);
  });

  it('ends with 1 and says so when nothing listens there', async () => {
    const { code, stdout } = await runProcess(
      ['trigger', 'payment.success', '--to', 'http://127.0.0.1:9/x'],
      {
        environment: { PAYMENTS_WEBHOOK_SECRET: secret },
      },
    );
    expect(code).toBe(1);
    expect(stdout).toContain('<-- no answer: nothing listens at 127.0.0.1:9');
  });
});
