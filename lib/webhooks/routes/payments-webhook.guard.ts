import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Logger,
  mixin,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type IncomingMessage } from 'node:http';
import { DEFAULT_ACCOUNT } from '../../common/account.js';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { capturedBody } from '../capture/captured-body.js';
import { sha256 } from '../delivery/judge-event.js';
import { readEvent } from '../delivery/read-event.js';
import { WebhookAccounts } from '../webhook-accounts.js';
import { headerValues, nodeRequest } from './http-request.js';
import { keepVerified } from './receivable-webhook.js';
import { routeAccount } from './route-account.js';
import { WebhookRefusal } from './webhook-refusal.js';

const REFUSALS = {
  400: 'The request was aborted.',
  413: 'The body is too long.',
  415: 'Send uncompressed JSON in UTF-8.',
} as const;

/**
 * Lets only webhooks with a right signature pass, and only readable ones: 401, 413, 415, 400 and 422 otherwise.
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

  private readonly logger = new Logger('PaymentsWebhooks');
  private knownAccounts: WebhookAccounts | undefined;

  constructor(private readonly moduleRef: ModuleRef) {}

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
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const receiver = this.accounts().get(account, route);
    const body = this.bodyOf(request, route);
    if (!(await receiver.verify({ headers: headerValues(request), body }))) {
      throw new WebhookRefusal(401, 'The webhook signature is not valid.');
    }
    const event = this.eventOf(body);
    keepVerified(request, { receiver, event, bodyHash: () => sha256(body), deliveredAt: new Date() });
  }

  private accounts(): WebhookAccounts {
    try {
      return (this.knownAccounts ??= this.moduleRef.get<WebhookAccounts>(WebhookAccounts, { strict: false }));
    } catch {
      throw new PaymentsConfigError(
        'A route receives webhooks, but the application does not import PaymentsModule: add PaymentsModule.forRoot({ … }).',
      );
    }
  }

  private bodyOf(request: IncomingMessage, route: string): Uint8Array {
    const captured = capturedBody(request);
    if (!captured) {
      this.logger.error(
        `The raw bytes of a webhook for ${route} are missing, so it cannot be verified; answered 500. Something reads ` +
          'request bodies before the package does (a body parser of an application around this one, or on an Express or ' +
          'Fastify instance that was passed to Nest), the route is not a POST route, or the HTTP adapter is neither Express nor Fastify.',
      );
      throw new WebhookRefusal(500, 'This webhook cannot be verified.');
    }
    if ('bytes' in captured) return captured.bytes;
    throw new WebhookRefusal(captured.refusedWith, REFUSALS[captured.refusedWith]);
  }

  private eventOf(body: Uint8Array): PaymentWebhookEvent {
    const read = readEvent(body);
    if ('event' in read) return read.event;
    this.logger.error(`A webhook with a valid signature was refused with ${read.status}: ${read.problem}.`);
    throw new WebhookRefusal(read.status, read.problem);
  }
}
