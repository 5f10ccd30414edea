import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { WebhookPaths } from '../capture/webhook-paths.js';
import { PaymentHandlers } from '../handlers/payment.handlers.js';
import { WebhookAccounts } from '../webhook-accounts.js';

/** Says at boot what would otherwise show at the first delivery, and where deliveries are received. */
@Injectable()
export class WebhookBootCheck implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('PaymentsWebhooks');

  constructor(
    private readonly paths: WebhookPaths,
    private readonly accounts: WebhookAccounts,
    private readonly handlers: PaymentHandlers,
  ) {}

  /**
   * Every provider stands by now, and every route is registered.
   *
   * @throws PaymentsConfigError where a route or a handler could never do its work.
   */
  onModuleInit(): void {
    this.handlers.explore();
    for (const { name, account } of this.handlers.listeners()) {
      this.accounts.assertKnown(account, `@OnPayment of ${name}`);
    }
    for (const { path, account } of this.paths.all()) {
      this.accounts.get(account, `The route POST ${path}`);
      this.logger.log(`Webhooks of the account '${account}' are received at POST ${path}`);
    }
  }

  /** Queues have said by now whose deliveries they take. */
  onApplicationBootstrap(): void {
    const dispatching = this.paths.all().filter(({ dispatches }) => dispatches);
    for (const account of new Set(dispatching.map((route) => route.account))) this.warnOfSilence(account);
  }

  private warnOfSilence(account: string): void {
    // Where deliveries go to a queue, its workers need the handlers: see there.
    if (this.accounts.find(account)?.isQueued || this.handlers.hears(account, 'payment.success')) return;
    this.logger.warn(
      `No @OnPayment('payment.success') handler listens to the account '${account}': a payment is then answered 200 ` +
        "after the route's own method alone.",
    );
  }
}
