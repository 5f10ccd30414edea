import { afterEach, describe, expect, it } from 'vitest';
import { Injectable, Module, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { OnPayment, PaymentsConfigError, type PaymentTrigger } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { adapters, deliver, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const ran: string[] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    ran.push('paid');
  }
}

@Injectable()
class Mails {
  @OnPayment('payment.success')
  send(): void {
    ran.push('mailed');
  }
}

describe.each(adapters)('the handlers of a module that is loaded later on %s', (adapter) => {
  let running: WebhookApp;

  const load = (module: Type): Promise<unknown> => running.app.get(LazyModuleLoader).load(() => module);

  afterEach(async () => {
    await running.app.close();
    ran.length = 0;
  });

  it.each<[string, Type[]]>([
    ['the only ones', []],
    ['the last ones', [Orders]],
  ])('run from then on, if they are %s', async (_which, providers) => {
    @Module({ providers: [Mails, { provide: 'MAILS', useFactory: async () => Promise.resolve('smtp') }] })
    class MailModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers });
    const earlier = providers.map(() => 'paid');
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(earlier);
    await load(MailModule);
    await load(MailModule);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual([...earlier, ...earlier, 'mailed']);
  });

  it('are checked: the load fails, and the other handlers go on', async () => {
    class Wrong {
      paid(): void {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'paid')!;
    OnPayment('payment.sucess' as PaymentTrigger)(Wrong.prototype, 'paid', descriptor);
    Injectable()(Wrong);
    @Module({ providers: [Wrong] })
    class WrongModule {}
    @Injectable()
    class Elsewhere {
      @OnPayment('payment.success', { account: 'nobody' })
      paid(): void {}
    }
    @Module({ providers: [Elsewhere] })
    class ElsewhereModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers: [Orders] });
    await expect(load(ElsewhereModule)).rejects.toThrow("account 'nobody'");
    await expect(load(WrongModule)).rejects.toThrow(PaymentsConfigError);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid']);
  });

  it('cause each warning once', async () => {
    @Module({ providers: [Mails] })
    class MailModule {}
    @Module({ providers: [Mails] })
    class OtherMailModule {}
    @Module({})
    class EmptyModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController] });
    for (const module of [MailModule, OtherMailModule, EmptyModule]) await load(module);
    const twice = running.logs.webhooks('warn').filter((line) => line.includes('more than one provider'));
    expect(twice).toHaveLength(1);
  });
});
