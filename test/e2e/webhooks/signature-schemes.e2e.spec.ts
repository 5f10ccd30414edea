import { afterEach, describe, expect, it } from '@jest/globals';
import { paymentEvent } from '../../../lib/testing/payment-event.js';
import { postWebhook } from '../../../lib/testing/post-webhook.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { SCHEME_CASES } from '../../support/scheme-cases.js';
import { adapters, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
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
});
