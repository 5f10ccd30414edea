import { afterEach, describe, expect, it } from 'vitest';
import { hmac } from 'nestjs-payments';
import { paymentEvent, postWebhook, signWebhook } from 'nestjs-payments/testing';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { SCHEME_CASES } from '../../support/scheme-cases.js';
import {
  adapters,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const PATH = '/webhooks/payments';

describe.each(adapters)('on %s', (adapter) => {
  let started: WebhookApp;

  afterEach(() => started.app.close());

  it.each(SCHEME_CASES.map((subject) => [subject.name, subject] as const))(
    'an application with %s takes what the testing kit and the emulator sign for it',
    async (_name, { scheme, secret }) => {
      const sandbox = await startSandbox({ webhookScheme: scheme });
      const { webhooks } = sandbox.moduleOptions();
      started = await startWebhookApp(adapter, {
        payments: [paymentsOptions({ ...webhooks, secrets: [secret, ...webhooks!.secrets] })],
        controllers: [WebhooksController],
      });
      const post = async (signedWith: string): Promise<number> =>
        (
          await postWebhook(started.app, PATH, paymentEvent('payment.success'), {
            scheme,
            secret: signedWith,
          })
        ).status;

      expect(await post(secret)).toBe(200);
      expect(await post(sandbox.webhookSecret)).toBe(200);
      expect(await post('another-secret-than-the-two-others')).toBe(401);

      sandbox.deliverTo(`http://127.0.0.1:${started.port}${PATH}`);
      await callerOf(sandbox).collect();
      await sandbox.customer(COLLECTION.phone).approve('order-1');
      expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered', status: 200 }]);
      await sandbox.stop();
    },
  );

  it('an application takes a webhook that is signed with method and URL at the URL that was signed only', async () => {
    const signed = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['method', { literal: ' ' }, 'url', { literal: '\n' }, 'body'],
    });
    const sandbox = await startSandbox({ webhookScheme: signed });
    const { webhooks } = sandbox.moduleOptions();
    started = await startWebhookApp(adapter, {
      payments: [paymentsOptions(webhooks)],
      controllers: [WebhooksController],
    });
    const url = `${PATH}?shop=caf%C3%A9&till=2`;
    const body = JSON.stringify(paymentEvent('payment.success'));
    const secret = sandbox.webhookSecret;
    const headers = {
      'content-type': 'application/json',
      ...signWebhook({ scheme: signed, secret, body, url }),
    };
    expect((await send(started.port, url, body, headers)).status).toBe(200);
    expect((await send(started.port, PATH, body, headers)).status).toBe(401);
    expect((await send(started.port, `${url}&more`, body, headers)).status).toBe(401);
    const event = paymentEvent('payment.success');
    expect((await postWebhook(started.app, url, event, { scheme: signed, secret })).status).toBe(200);

    sandbox.deliverTo(`http://127.0.0.1:${started.port}${url}`);
    await callerOf(sandbox).collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered', status: 200 }]);
    await sandbox.stop();
  });
});
