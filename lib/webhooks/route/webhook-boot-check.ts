import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, LazyModuleLoader, type ModuleRef, ModulesContainer } from '@nestjs/core';
import { missingRoute, type Server, serverOf } from './missing-route.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { NAMED_BY_PATH } from '../delivery/route-account.js';
import { EarlierRoutes } from './earlier-routes.js';
import { type WebhookPath, WebhookPaths } from './webhook-paths.js';
import { PaymentHandlers } from '../handlers/payment-handlers.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';

/** Nest's metadata key for the status of a route that does not fail; 201 without one. */
const HTTP_CODE = '__httpCode__';
const CREATED = 201;
const OK = 200;

/** Reports problems at boot that would otherwise show at the first delivery, and the paths of deliveries. */
@Injectable()
export class WebhookBootCheck implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private hasStarted = false;

  /** A closure, because the modules lead to the options of every account. */
  private readonly modules: () => ModulesContainer;

  constructor(
    private readonly paths: WebhookPaths,
    private readonly earlier: EarlierRoutes,
    private readonly accounts: WebhookAccounts,
    private readonly handlers: PaymentHandlers,
    private readonly host: HttpAdapterHost,
    modules: ModulesContainer,
    loader: LazyModuleLoader,
  ) {
    this.modules = () => modules;
    this.findHandlersOfLoadedModules(loader);
  }

  /**
   * Runs after all providers were created and all routes were registered.
   *
   * @throws PaymentsConfigError if a route or a handler could never work.
   */
  onModuleInit(): void {
    this.hasStarted = true;
    this.findHandlers();
    this.paths.assertRegistered();
    this.reportEarlierParsers();
    const taken = this.earlier.check(this.paths.all());
    for (const webhook of this.paths.all()) {
      const { path, account } = webhook;
      const route = `The route POST ${path}`;
      if (account === NAMED_BY_PATH) this.accounts.resolverFor(route);
      else this.accounts.get(account, route);
      const ofAccount = account === NAMED_BY_PATH ? 'account that the path names' : `account '${account}'`;
      this.warnOfOtherStatus(webhook);
      const warning = taken.get(webhook);
      if (warning === undefined) this.logger.log(`Webhooks of the ${ofAccount} are received at POST ${path}`);
      else this.logger.warn(warning);
    }
  }

  /** Decorators above `@PaymentsWebhook` win, and a route that has only the guard answers as Nest does. */
  private warnOfOtherStatus({ method, name, path }: WebhookPath): void {
    const status = (Reflect.getMetadata(HTTP_CODE, method) as number | undefined) ?? CREATED;
    if (status === OK) return;
    this.logger.warn(
      `${name} answers a webhook at POST ${path} with ${status}: only 200 counts as delivered, and the gateway delivers again. ` +
        'Write @HttpCode(200) above the method.',
    );
  }

  private findHandlers(loaded?: ModuleRef): void {
    this.handlers.explore((account, usedBy) => {
      this.accounts.assertKnown(account, usedBy);
    }, loaded);
  }

  /**
   * Nest runs no hook in a module that the application loads later. So the load itself rejects if a handler is wrong.
   * A load may begin before the boot has ended and end after it.
   */
  private findHandlersOfLoadedModules(loader: LazyModuleLoader): void {
    const load = loader.load.bind(loader);
    loader.load = async (...args) => {
      const loaded = await load(...args);
      if (this.hasStarted) this.findHandlers(loaded);
      return loaded;
    };
  }

  private reportEarlierParsers(): void {
    const [parser] = this.paths.earlierParsers;
    const reads = this.paths.all().some(({ account }) => {
      const check =
        account === NAMED_BY_PATH ? this.accounts.checkFor(undefined) : this.accounts.find(account);
      return !check?.rawBody;
    });
    if (parser === undefined || !reads) return;
    this.logger.error(
      `A body parser (${parser}) is installed on the Express instance that was passed to Nest, and reads webhooks before the package ` +
        'keeps their bytes: each that it parses is answered 500, unless it leaves them at request.rawBody. Put it behind Nest: app.use(express.json()) on the Nest ' +
        'application, or leave it out, as Nest has one. For routes of Express alone, write it with their path: ' +
        "instance.use('/their/path', express.json()).",
    );
  }

  /** Runs after queues have registered their accounts. */
  onApplicationBootstrap(): void {
    this.accounts.open();
    const server = serverOf(this.host, this.modules());
    for (const account of this.accounts.receiving()) this.warnOfMissingRoute(account, server);
    const dispatching = this.paths.all().filter(({ dispatches }) => dispatches);
    for (const account of new Set(dispatching.map((route) => route.account))) {
      this.warnOfSilence(
        account === NAMED_BY_PATH ? this.accounts.resolverFor('A route').registration : account,
      );
    }
  }

  private warnOfMissingRoute(account: string, server: Server): void {
    const isReceived = this.paths
      .all()
      .some((route) => route.account === account || route.account === NAMED_BY_PATH);
    if (isReceived || !this.accounts.receiverOf(account)?.expectsRoute(server === 'http')) return;
    const warning = missingRoute(account, server, this.accounts.find(account) === undefined);
    if (warning !== undefined) this.logger.warn(warning);
  }

  private warnOfSilence(account: string): void {
    // With a queue, its workers need the handlers.
    if (this.accounts.receiverOf(account)?.isQueued || this.handlers.handles(account, 'payment.success'))
      return;
    this.logger.warn(
      `No @OnPayment('payment.success') handler listens to the account '${account}': a payment is then answered 200 ` +
        "after the route's own method alone.",
    );
  }
}
