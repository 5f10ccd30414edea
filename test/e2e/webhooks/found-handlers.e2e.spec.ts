import { afterEach, describe, expect, it, vi } from 'vitest';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { LazyModuleLoader, ModulesContainer } from '@nestjs/core';
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

/** Two modules with a handler that could never run. */
function wrongModules(): { readonly misspelt: Type; readonly homeless: Type } {
  class Wrong {
    paid(): void {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Wrong.prototype, 'paid')!;
  OnPayment('payment.sucess' as PaymentTrigger)(Wrong.prototype, 'paid', descriptor);
  Injectable()(Wrong);
  @Module({ providers: [Wrong] })
  class MisspeltModule {}
  @Injectable()
  class Elsewhere {
    @OnPayment('payment.success', { account: 'nobody' })
    paid(): void {}
  }
  @Module({ providers: [Elsewhere] })
  class HomelessModule {}
  return { misspelt: MisspeltModule, homeless: HomelessModule };
}

const CONNECTION = Symbol('a connection that opens later');

/** A module that has loaded once its connection is open. */
function slowModule(): { readonly module: Type; readonly open: (name: string) => void } {
  let open: (name: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => (open = resolve));
  @Injectable()
  class Slow {
    constructor(@Inject(CONNECTION) private readonly connection: string) {}

    @OnPayment('payment.success')
    write(): void {
      ran.push(`wrote by ${this.connection}`);
    }
  }
  @Module({ providers: [{ provide: CONNECTION, useFactory: () => opened }, Slow] })
  class SlowModule {}
  return { module: SlowModule, open };
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

  it('are checked: the load fails, and the other handlers continue', async () => {
    const { misspelt, homeless } = wrongModules();
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers: [Orders] });
    await expect(load(homeless)).rejects.toThrow("account 'nobody'");
    await expect(load(misspelt)).rejects.toThrow(PaymentsConfigError);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid']);
  });

  it('are found after a wrong module, whose own loads alone reject', async () => {
    const { misspelt, homeless } = wrongModules();
    @Module({ providers: [Mails] })
    class MailModule {}
    @Module({})
    class EmptyModule {}
    @Module({ imports: [EmptyModule, homeless] })
    class AroundModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers: [Orders] });
    await expect(load(misspelt)).rejects.toThrow("@OnPayment('payment.sucess')");
    await expect(load(homeless)).rejects.toThrow("account 'nobody'");
    await load(EmptyModule);
    await load(MailModule);
    await expect(load(AroundModule)).rejects.toThrow("account 'nobody'");
    await expect(load(misspelt)).rejects.toThrow("@OnPayment('payment.sucess')");
    await load(MailModule);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid', 'mailed']);
  });

  it('run only after their own load, also if another one ends before', async () => {
    const { module, open } = slowModule();
    @Module({})
    class EmptyModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers: [Orders] });
    const slow = load(module);
    await load(EmptyModule);
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid']);
    open('pool');
    await slow;
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid', 'paid', 'wrote by pool']);
  });

  it('run after a load that began before the boot had ended', async () => {
    const { module, open } = slowModule();
    let slow: Promise<unknown> | undefined;
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      providers: [Orders],
      prepare: (app) => {
        slow = app.get(LazyModuleLoader).load(() => module);
      },
    });
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    open('pool');
    await slow;
    expect((await deliver(running.port, paymentEvent('payment.success'))).status).toBe(200);
    expect(ran).toEqual(['paid', 'paid', 'wrote by pool']);
  });

  it('are not searched again by a load of what is loaded', async () => {
    @Module({ providers: [Mails] })
    class MailModule {}
    running = await startWebhookApp(adapter, { controllers: [WebhooksController], providers: [Orders] });
    await load(MailModule);
    const modules = [...running.app.get(ModulesContainer).values()];
    const searches = modules.map((module) => vi.spyOn(module, 'providers', 'get'));
    await load(MailModule);
    for (const search of searches) expect(search).not.toHaveBeenCalled();
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
