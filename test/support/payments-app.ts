import { type DynamicModule, type INestApplication, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  CollectionsService,
  DisbursementsService,
  type JournalStore,
  OnPayment,
  PaymentsInbox,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { LogLines } from './webhook-app.js';
import { WebhooksController } from './webhooks.controller.js';

@Injectable()
export class SeenEvents {
  readonly events: string[] = [];
  /** What the next handler run throws. */
  failWith: Error | undefined;

  @OnPayment('*')
  outcome(event: PaymentWebhookEvent): void {
    if (this.failWith) {
      const error = this.failWith;
      this.failWith = undefined;
      throw error;
    }
    this.events.push(event.event);
  }

  @OnPayment('payment.conflict')
  conflict(): void {
    this.events.push('conflict');
  }

  @OnPayment('payment.mismatch')
  mismatch(): void {
    this.events.push('mismatch');
  }
}

/** A whole application on a storage that outlives it. */
export interface PaymentsApp {
  readonly app: INestApplication;
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly journal: PaymentsJournal;
  readonly inbox: PaymentsInbox;
  readonly seen: SeenEvents;
  readonly webhookUrl: string;
  /** From here on nothing that this process does reaches the storage. */
  crash(): void;
}

export async function startPaymentsApp(
  options: PaymentsModuleOptions & { readonly storage: PaymentsStorage },
  providers: readonly object[] = [],
  imports: readonly DynamicModule[] = [],
): Promise<PaymentsApp> {
  const mortal = mortalStorage(options.storage);
  const module = await Test.createTestingModule({
    imports: [PaymentsModule.forRoot({ ...options, storage: mortal.storage }), ...imports],
    controllers: [WebhooksController],
    providers: [SeenEvents, ...(providers as [])],
  })
    .setLogger(new LogLines())
    .compile();
  const app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  return {
    app,
    collections: app.get(CollectionsService),
    disbursements: app.get(DisbursementsService),
    journal: app.get(PaymentsJournal),
    inbox: app.get(PaymentsInbox),
    seen: app.get(SeenEvents),
    webhookUrl: `${await app.getUrl()}/webhooks/payments`,
    crash: mortal.crash,
  };
}

function mortalStorage(storage: PaymentsStorage): { storage: PaymentsStorage; crash: () => void } {
  let alive = true;
  const journal = new Proxy(storage.journal, {
    get: (target, name) => {
      const method = target[name as keyof JournalStore] as
        ((...args: unknown[]) => unknown) | object | undefined;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown =>
        alive ? Reflect.apply(method, target, args) : Promise.reject(new Error('the process is dead'));
    },
  });
  return {
    storage: { ...storage, journal },
    crash: () => {
      alive = false;
    },
  };
}
