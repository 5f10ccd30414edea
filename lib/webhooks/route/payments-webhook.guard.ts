import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  mixin,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import {
  type CapturedBody,
  capturedBody,
  keepVerified,
  nodeRequest,
  nodeResponse,
} from '../raw-body/request-state.js';
import { sha256 } from '../delivery/classify-event.js';
import { readEvent, type ReadEvent } from '../signature/read-event.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';
import { WebhookAccounts } from '../delivery/webhook-accounts.js';
import { bodyByOption, bodyLeftByHost } from './host-body.js';
import { signedDelivery } from '../raw-body/http-request.js';
import { routeAccount } from '../handlers/decorated-methods.js';
import { refuseBody, refusalOf, type ResponseLike, WebhookRefusal } from '../raw-body/webhook-refusal.js';

type ReadDelivery = Extract<CapturedBody, { readonly bytes: Uint8Array }>;

/**
 * Lets only webhooks with a right signature pass, and only readable ones: 401, 408, 413, 415, 400 and 422 otherwise, and
 * 503 while unverified bodies of all connections fill their limit.
 *
 * `@PaymentsWebhook` brings it along. On a route of your own, `@UseGuards(PaymentsWebhookGuard)` verifies alone:
 * nothing is remembered and no `@OnPayment` handler runs. Such a route is a POST route of the default account;
 * `PaymentsWebhookGuard.for('payouts')` is the guard of another one.
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
  /** The account whose webhooks pass where `@PaymentsWebhook` does not name one. */
  static readonly account: string = DEFAULT_ACCOUNT;

  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private readonly findAccounts: () => WebhookAccounts;
  private knownAccounts: WebhookAccounts | undefined;

  constructor(moduleRef: ModuleRef) {
    // In a closure, because a ModuleRef leads to the options of every account.
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

  /** @throws PaymentsConfigError where no module of the package is imported. */
  onModuleInit(): void {
    this.accounts();
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const account =
      routeAccount(context.getHandler()) ?? (this.constructor as typeof PaymentsWebhookGuard).account;
    try {
      await this.verify(context, account);
      return true;
    } catch (refusal) {
      if (refusal instanceof WebhookRefusal) {
        publishDiagnostics(WEBHOOK_REFUSED_CHANNEL, () => ({ account, status: refusal.getStatus() }));
      }
      throw refusal;
    }
  }

  private async verify(context: ExecutionContext, account: string): Promise<void> {
    const request = nodeRequest(context);
    const receiver = this.accounts().find(account) ?? this.accounts().get(account, routeName(context));
    const { bytes: body, release, genuine } = await this.bodyOf(context, receiver);
    const isChecked = genuine?.receiver === receiver;
    const isGenuine = isChecked || (await receiver.verify(signedDelivery(request, body)));
    release?.();
    if (!isGenuine) throw refusalOf(401);
    const event = this.eventOf(isChecked ? genuine.read : readEvent(body));
    keepVerified(request, { receiver, event, bodyHash: () => sha256(body), deliveredAt: new Date() });
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

  private async bodyOf(context: ExecutionContext, receiver: WebhookReceiver): Promise<ReadDelivery> {
    const given = receiver.rawBody && (await bodyByOption(context, receiver));
    if (given) return { bytes: given };
    const request = nodeRequest(context);
    const captured = await capturedBody(request);
    if (!captured) {
      const left = bodyLeftByHost(context, receiver);
      if (left) return { bytes: left };
      this.logger.error(
        `The raw bytes of a webhook for ${routeName(context)} are missing, so it cannot be verified; answered 500. Something reads ` +
          'request bodies before the package does (a body parser of an application around this one, or on an Express or ' +
          'Fastify instance that was passed to Nest), the route is not a POST route, or the HTTP adapter is neither Express nor Fastify. ' +
          'Where the host keeps the bytes, say where: webhooks: { rawBody: (request) => … }. See docs/hosts.md.',
      );
      throw new WebhookRefusal(500, 'This webhook cannot be verified.');
    }
    // Another account of the same path may have a higher limit.
    const isRead = 'bytes' in captured && captured.bytes.length <= receiver.limits.bodyLimit;
    if (isRead) return captured;
    const refusedWith = 'bytes' in captured ? 413 : captured.refusedWith;
    if (refusedWith === 401) receiver.reportUnsigned();
    const response = context.switchToHttp().getResponse<ResponseLike>();
    throw refuseBody(refusedWith, request, nodeResponse(context), response);
  }

  private eventOf(read: ReadEvent): PaymentWebhookEvent {
    if ('event' in read) return read.event;
    this.logger.error(`A webhook with a valid signature was refused with ${read.status}: ${read.problem}.`);
    throw new WebhookRefusal(read.status, read.problem);
  }
}

/** For messages. */
function routeName(context: ExecutionContext): string {
  return `${context.getClass().name}.${context.getHandler().name}`;
}

/** Where Nest keeps the guards of a class or method. */
const GUARDS = '__guards__';

/** The account whose webhooks the guard of a class or method lets pass; undefined where none guards. */
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
