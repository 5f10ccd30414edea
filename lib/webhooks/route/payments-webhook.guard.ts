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
import { SafeLogger } from '../../common/safe-logger.js';
import { type WebhookHostRequest } from '../../config/webhook-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { signedDelivery } from '../delivery/delivery-head.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { routeAccount } from '../handlers/decorated-methods.js';
import { routeProgress } from '../raw-body/answered-request.js';
import { capturedBodies, type CapturedBody } from '../raw-body/captured-body.js';
import { readEvent, type ReadEvent, type VerifiedWebhook } from '../signature/read-event.js';
import { bodyByOption, bodyLeftByHost, type RouteRequest } from './host-body.js';
import { refuseBody, refusalOf, type ResponseLike, WebhookRefusal } from '../raw-body/webhook-refusal.js';

type ReadDelivery = Extract<CapturedBody, { readonly bytes: Uint8Array }>;

/** A verified delivery and its receiver. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

/** The deliveries that guards verified, by Nest's request. The route takes them from here. */
export const verifiedWebhooks = new WeakMap<object, ReceivableWebhook>();

interface GuardedRoute {
  readonly account: string;
  /** Whether the route runs handlers and answers by itself. */
  readonly dispatches: boolean;
  /** Set at the first delivery. */
  receiver?: WebhookReceiver;
}

/**
 * Lets only readable webhooks with a valid signature pass. Otherwise answers 400, 401, 408, 413, 415 or 422,
 * or 503 while unverified bodies of all connections fill their limit.
 *
 * `@PaymentsWebhook` includes the guard. On a route of your own, `@UseGuards(PaymentsWebhookGuard)` only
 * verifies: it remembers nothing and runs no `@OnPayment` handler. Such a route is a POST route of the
 * default account; use `PaymentsWebhookGuard.for('payouts')` for another account.
 *
 * @example
 * ```ts
 * @Post('payments')
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
    try {
      await this.verify(context, route);
      return true;
    } catch (refusal) {
      if (refusal instanceof WebhookRefusal) {
        const { account } = route;
        const request = nodeRequest(context);
        const isVerified = routeProgress.get(request) === 'verified';
        routeProgress.set(request, isVerified ? refusal.getStatus() : 'refused unverified');
        publishDiagnostics(WEBHOOK_REFUSED_CHANNEL, () => ({ account, status: refusal.getStatus() }));
      }
      throw refusal;
    }
  }

  private routeOf(method: object): GuardedRoute {
    const known = this.routes.get(method);
    if (known) return known;
    const dispatchedTo = routeAccount(method);
    const account = dispatchedTo ?? (this.constructor as typeof PaymentsWebhookGuard).account;
    const route = { account, dispatches: dispatchedTo !== undefined };
    this.routes.set(method, route);
    return route;
  }

  private async verify(context: ExecutionContext, route: GuardedRoute): Promise<void> {
    const receiver = (route.receiver ??= this.accounts().get(route.account, routeName(context)));
    const given = context.switchToHttp().getRequest<WebhookHostRequest & MaybeWrapped<IncomingMessage>>();
    const request = { given, node: given.raw ?? given };
    const { bytes: body, unverified, genuine } = await this.bodyOf(request, context, receiver);
    const isChecked = genuine?.receiver === receiver;
    const isGenuine = isChecked || (await receiver.signatures.accepts(signedDelivery(request.node, body)));
    unverified?.release();
    if (!isGenuine) throw refusalOf(401);
    routeProgress.set(request.node, 'verified');
    const event = this.eventOf(isChecked ? genuine.read : readEvent(body));
    const bodyHash = (): string => hash('sha256', body);
    verifiedWebhooks.set(given, { receiver, event, bodyHash, deliveredAt: new Date() });
    if (!route.dispatches) routeProgress.set(request.node, 'left to the route');
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
    receiver: WebhookReceiver,
  ): Promise<ReadDelivery> {
    const { rawBody } = receiver;
    const given = rawBody && (await bodyByOption(rawBody, request, receiver));
    if (given) return { bytes: given };
    const captured = await capturedBodies.get(request.node);
    if (!captured) {
      const left = bodyLeftByHost(request, receiver);
      if (left) return { bytes: left };
      this.logger.error(
        `The raw bytes of a webhook for ${routeName(context)} are missing, so it cannot be verified; answered 500. Something reads ` +
          'request bodies before the package does (a body parser of an application around this one, or on an Express or ' +
          'Fastify instance that was passed to Nest), the route is not a POST route, or the HTTP adapter is neither Express nor Fastify. ' +
          'If the host keeps the bytes, say where: webhooks: { rawBody: (request) => … }. See docs/hosts.md.',
      );
      throw new WebhookRefusal(500, 'This webhook cannot be verified.');
    }
    // Another account of the same path may have a higher limit.
    const isRead = 'bytes' in captured && captured.bytes.length <= receiver.limits.bodyLimit;
    if (isRead) return captured;
    const refusedWith = 'bytes' in captured ? 413 : captured.refusedWith;
    if (refusedWith === 401) receiver.signatures.reportUnsigned();
    const response = context
      .switchToHttp()
      .getResponse<ResponseLike & ServerResponse & MaybeWrapped<ServerResponse>>();
    throw refuseBody(refusedWith, request.node, response.raw ?? response, response);
  }

  private eventOf(read: ReadEvent): PaymentWebhookEvent {
    if ('event' in read) return read.event;
    this.logger.error(`A webhook with a valid signature was refused with ${read.status}: ${read.problem}.`);
    throw new WebhookRefusal(read.status, read.problem);
  }
}

/** A request or response of Express, which is Node's own, or of Fastify, which wraps it. */
type MaybeWrapped<Own> = Own & { readonly raw?: Own };

export function nodeRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<MaybeWrapped<IncomingMessage>>();
  return request.raw ?? request;
}

function routeName(context: ExecutionContext): string {
  return `${context.getClass().name}.${context.getHandler().name}`;
}

/** Nest's metadata key for the guards of a class or method. */
const GUARDS = '__guards__';

/** The account of the webhook guard of a class or method; undefined if it has none. */
export function guardedAccount(target: object): string | undefined {
  const guards = (Reflect.getMetadata(GUARDS, target) ?? []) as readonly unknown[];
  return guards.find(isWebhookGuard)?.account;
}

function isWebhookGuard(guard: unknown): guard is typeof PaymentsWebhookGuard {
  return (
    guard === PaymentsWebhookGuard ||
    (typeof guard === 'function' && guard.prototype instanceof PaymentsWebhookGuard)
  );
}
