import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  mixin,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { hash } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { MinuteLog } from '../../common/minute-log.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type WebhookHostRequest } from '../../config/webhook-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type DeliveryCheck, type NamedAccount } from '../delivery/delivery-check.js';
import { isSigned, signedDelivery } from '../delivery/delivery-head.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { webhookRoute } from '../handlers/decorated-methods.js';
import { routeProgress } from '../raw-body/answered-request.js';
import {
  capturedBodies,
  type CapturedBody,
  type MaybeWrapped,
  nodeOf,
  releaseAtEnd,
} from '../raw-body/captured-body.js';
import { readEvent, type ReadEvent, type VerifiedWebhook } from '../signature/read-event.js';
import { bodyByOption, bodyLeftByHost, refusalWithoutBytes, type RouteRequest } from './host-body.js';
import {
  refuseBody,
  refuseRead,
  refusalOf,
  type ResponseLike,
  WebhookRefusal,
} from '../raw-body/webhook-refusal.js';

type ReadDelivery = Extract<CapturedBody, { readonly bytes: Uint8Array }>;

/** A verified delivery and its receiver. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

/** The deliveries that guards verified, by Nest's request. The route takes them from here. */
export const verifiedWebhooks = new WeakMap<object, ReceivableWebhook>();

interface GuardedRoute {
  /** Undefined: that of the parameter `:account` of its path, or else the default one. */
  readonly account: string | undefined;
  /** Whether the route runs handlers and answers by itself. */
  readonly dispatches: boolean;
  /** Set at the first delivery, if it is for one account. */
  receiver?: WebhookReceiver;
  /** Set at the first delivery whose bytes are missing. */
  missingBytes?: MinuteLog;
}

/** A delivery on its way through the guard. */
interface GuardedDelivery {
  readonly request: RouteRequest;
  /** The account that the path names; undefined if the route has one account. */
  readonly name: string | undefined;
  /** Checks the delivery. Of an account that the path names, it is known only after the lookup. */
  check: DeliveryCheck;
}

/**
 * Lets only readable webhooks with a valid signature pass. Otherwise answers 400, 401, 408, 413, 415 or 422,
 * or 503 while unverified bodies of all connections fill their limit.
 *
 * `@PaymentsWebhook` includes the guard. On a route of your own, `@UseGuards(PaymentsWebhookGuard)` only
 * verifies: it remembers nothing and runs no `@OnPayment` handler. Such a route is a POST route of the default account; use
 * `PaymentsWebhookGuard.for('payouts')` for another one. Answer 200: the gateway delivers again after Nest's 201.
 *
 * @example
 * ```ts
 * @Post('payments')
 * @HttpCode(200)
 * @UseGuards(PaymentsWebhookGuard)
 * received(@PaymentEvent() event: PaymentWebhookEvent) {}
 * ```
 *
 * @publicApi
 */
@Injectable()
export class PaymentsWebhookGuard implements CanActivate, OnModuleInit {
  /** The account if `@PaymentsWebhook` does not name one. */
  static readonly account: string = DEFAULT_ACCOUNT;

  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private readonly findAccounts: () => WebhookAccounts;
  private knownAccounts: WebhookAccounts | undefined;
  /** By the method of the route. */
  private readonly routes = new WeakMap<object, GuardedRoute>();

  constructor(moduleRef: ModuleRef) {
    // A closure, because a ModuleRef leads to the options of every account.
    this.findAccounts = () => moduleRef.get<WebhookAccounts>(WebhookAccounts, { strict: false });
  }

  /**
   * The guard of a named account.
   *
   * @example
   * ```ts
   * @Controller('webhooks')
   * class PayoutsController {
   *   @Post('payouts')
   *   @UseGuards(PaymentsWebhookGuard.for('payouts'))
   *   received(@PaymentEvent() event: PaymentWebhookEvent) {}
   * }
   * ```
   */
  static for(account: string): Type<PaymentsWebhookGuard> {
    return mixin(
      class extends PaymentsWebhookGuard {
        static override readonly account = account;
      },
    );
  }

  /** @throws PaymentsConfigError if no module of the package is imported. */
  onModuleInit(): void {
    this.accounts();
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.routeOf(context.getHandler());
    const delivery = this.deliveryFor(route, context);
    try {
      await this.verify(context, route, delivery);
      return true;
    } catch (refusal) {
      if (refusal instanceof WebhookRefusal) {
        const { account } = delivery.check.scope;
        const { node } = delivery.request;
        const isVerified = routeProgress.get(node) === 'verified';
        routeProgress.set(node, isVerified ? refusal.getStatus() : 'refused unverified');
        publishDiagnostics(WEBHOOK_REFUSED_CHANNEL, () => ({ account, status: refusal.getStatus() }));
      }
      throw refusal;
    }
  }

  private routeOf(method: object): GuardedRoute {
    const known = this.routes.get(method);
    if (known) return known;
    const declared = webhookRoute(method);
    const account = declared ? declared.account : (this.constructor as typeof PaymentsWebhookGuard).account;
    const route = { account, dispatches: declared !== undefined };
    this.routes.set(method, route);
    return route;
  }

  private deliveryFor(route: GuardedRoute, context: ExecutionContext): GuardedDelivery {
    const given = context.switchToHttp().getRequest<NestRequest>();
    const request = { given, node: nodeOf<IncomingMessage>(given) };
    const name = route.account === undefined ? accountParameter(given.params) : undefined;
    if (name !== undefined) {
      const check =
        this.accounts().checkFor(name) ?? this.accounts().resolverFor(routeName(context)).accounts.nobody;
      return { request, name, check };
    }
    route.receiver ??= this.accounts().get(route.account ?? DEFAULT_ACCOUNT, routeName(context));
    return { request, name, check: route.receiver };
  }

  private async verify(
    context: ExecutionContext,
    route: GuardedRoute,
    delivery: GuardedDelivery,
  ): Promise<void> {
    const { request, name } = delivery;
    const { bytes: body, unverified, genuine } = await this.bodyOf(request, context, route, delivery.check);
    const receiver =
      name === undefined
        ? route.receiver
        : await this.lookUp(name, delivery, { bytes: body, named: genuine?.named }, context);
    const isChecked = genuine?.receiver === delivery.check;
    const isGenuine =
      isChecked || (await delivery.check.signatures.accepts(signedDelivery(request.node, body)));
    unverified?.release();
    if (!isGenuine || !receiver) throw refusalOf(401);
    routeProgress.set(request.node, 'verified');
    const event = this.eventOf(isChecked ? genuine.read : readEvent(body));
    const bodyHash = (): string => hash('sha256', body);
    verifiedWebhooks.set(request.given, { receiver, event, bodyHash, deliveredAt: new Date() });
    if (!route.dispatches) routeProgress.set(request.node, 'left to the route');
  }

  /**
   * The receiver of the account that a path names; undefined if there is none. From now on, the delivery is checked with
   * the keys of that account, or with one that nobody has.
   */
  private async lookUp(
    name: string,
    delivery: GuardedDelivery,
    { bytes, named: before }: Pick<ReadDelivery, 'bytes'> & { readonly named: NamedAccount | undefined },
    context: ExecutionContext,
  ): Promise<WebhookReceiver | undefined> {
    const { check, request } = delivery;
    const response = responseOf(context);
    if (before?.receiver?.scope.account === name) {
      delivery.check = before.check;
      return before.receiver;
    }
    // The head of a body that the host has read was not checked yet.
    if (!isSigned(request.node, check.limits)) {
      check.signatures.reportUnsigned();
      throw refusalOf(401);
    }
    const named = await this.accounts().named(name, bytes.length);
    if (named === 'busy') throw refuseRead(503, response);
    releaseAtEnd(nodeOf<ServerResponse>(response), named);
    delivery.check = named.check;
    return named.receiver;
  }

  private accounts(): WebhookAccounts {
    try {
      return (this.knownAccounts ??= this.findAccounts());
    } catch {
      throw new PaymentsConfigError(
        'A route receives webhooks, but the application does not import PaymentsModule: add PaymentsModule.forRoot({ … }).',
      );
    }
  }

  private async bodyOf(
    request: RouteRequest,
    context: ExecutionContext,
    route: GuardedRoute,
    receiver: DeliveryCheck,
  ): Promise<ReadDelivery> {
    const { rawBody } = receiver;
    const report = (problem: string): void => {
      this.reportMissingBytes(route, problem);
    };
    const given = rawBody && (await bodyByOption(rawBody, request, receiver, report));
    if (given) return { bytes: given };
    const captured = await capturedBodies.get(request.node);
    if (!captured) {
      const left = bodyLeftByHost(request, receiver);
      if (left) return { bytes: left };
      throw refusalWithoutBytes(request, receiver, () => {
        report(
          `The raw bytes of a webhook for ${routeName(context)} are missing, so it cannot be verified; answered 500. Something reads ` +
            'request bodies before the package does (a body parser of an application around this one, or on an Express or ' +
            'Fastify instance that was passed to Nest; on Fastify a listener to the bytes with an asynchronous hook or middleware after it: ' +
            'put it last), the route is not a POST route, or the HTTP adapter is neither Express nor Fastify. ' +
            'If the host keeps the bytes, say where: webhooks: { rawBody: (request) => … }. See docs/hosts.md',
        );
      });
    }
    // Another account of the same path may have a higher limit.
    const isRead = 'bytes' in captured && captured.bytes.length <= receiver.limits.bodyLimit;
    if (isRead) return captured;
    const refusedWith = 'bytes' in captured ? 413 : captured.refusedWith;
    if (refusedWith === 401) receiver.signatures.reportUnsigned();
    const response = responseOf(context);
    throw refuseBody(refusedWith, request.node, nodeOf<ServerResponse>(response), response);
  }

  /** Strangers may write the headers of the scheme, too. */
  private reportMissingBytes(route: GuardedRoute, problem: string): void {
    route.missingBytes ??= new MinuteLog((line) => {
      this.logger.error(line);
    });
    route.missingBytes.report(problem);
  }

  private eventOf(read: ReadEvent): PaymentWebhookEvent {
    if ('event' in read) return read.event;
    this.logger.error(`A webhook with a valid signature was refused with ${read.status}: ${read.problem}.`);
    throw new WebhookRefusal(read.status, read.problem);
  }
}

type NestRequest = WebhookHostRequest & MaybeWrapped<IncomingMessage> & { readonly params?: unknown };
type NestResponse = ResponseLike & ServerResponse & MaybeWrapped<ServerResponse>;

function responseOf(context: ExecutionContext): NestResponse {
  return context.switchToHttp().getResponse<NestResponse>();
}

/** The account that the path of a request names; undefined if its route has no such parameter. */
export function accountParameter(parameters: unknown): string | undefined {
  const { account } = (parameters ?? {}) as { readonly account?: unknown };
  return typeof account === 'string' ? account : undefined;
}

function routeName(context: ExecutionContext): string {
  return `${context.getClass().name}.${context.getHandler().name}`;
}
