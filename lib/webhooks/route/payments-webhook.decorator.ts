import {
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Post,
  UseFilters,
  UseGuards,
  Version,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { copyOf } from '../../common/json-object.js';
import { ANSWER_MESSAGES, type WebhookAnswer } from '../delivery/webhook-answer.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { WEBHOOK_ROUTE, type WebhookRouteMetadata } from '../handlers/decorated-methods.js';
import { PaymentsWebhookGuard, type ReceivableWebhook, verifiedWebhooks } from './payments-webhook.guard.js';
import { routeProgress } from '../raw-body/answered-request.js';
import { nodeRequest } from '../raw-body/captured-body.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { WebhookRefusal, WebhookRefusalFilter } from '../raw-body/webhook-refusal.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Deliver = (last: () => unknown) => Promise<void>;

interface ResponseLike {
  header(name: string, value: string): unknown;
}

/** Nest's metadata keys for a route's parameters, and for `passthrough` of an injected response. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const PASSTHROUGH = '__responsePassthrough__';
/** Nest's keys of route arguments begin with a number: 1 for `@Res()`, 2 for `@Next()`. */
const ANSWERS_ITSELF = /^[12]:/;

/**
 * Makes a method the route that receives webhooks: a version-neutral POST route. It verifies and remembers
 * deliveries, and answers 200 after every `@OnPayment` handler and, last, the method itself have finished.
 *
 * The method runs once per payment outcome, not once per delivery, and not for events that are set aside. Its result
 * is not sent. If it throws, the gateway gets a 500, and its next delivery runs the method again, as it does if the
 * process dies meanwhile: make a second run harmless.
 *
 * With a queue (`nestjs-payments/bullmq`), the gateway gets a 200 when the delivery is stored, and the method
 * never runs, because a worker has no request. Put the work into `@OnPayment` handlers.
 *
 * The application's global guards run on the route: mark it with the application's own `@Public()`. Its
 * filters do not see the package's own refusals. Its pipes run before any handler. If one throws, the gateway
 * gets its status, nothing is remembered, and the next delivery runs everything.
 *
 * @throws PaymentsConfigError if the method injects `@Res()` without `passthrough`, or `@Next()`: nobody
 * would answer. And if an option is unknown.
 *
 * If the whole path has the parameter `:account`, it names the account of each delivery: a registered one, or one
 * that `accounts.resolve` knows. A delivery for an account that does not exist gets the 401 of a wrong signature.
 *
 * @param path Path of the route below the controller's.
 * @param options The merchant account, if it is not the default one and the path does not name it.
 *
 * @example
 * ```ts
 * @Controller('webhooks')
 * class WebhooksController {
 *   @PaymentsWebhook('payments')
 *   received(@PaymentEvent() event: PaymentWebhookEvent) {}
 * }
 * ```
 *
 * @example Accounts from a database
 * ```ts
 * @Controller('webhooks')
 * class WebhooksController {
 *   @PaymentsWebhook('payments/:account')
 *   received() {}
 * }
 * ```
 *
 * @publicApi
 */
export function PaymentsWebhook(path = '', options: { readonly account?: string } = {}): MethodDecorator {
  refuseUnknown(options, ['account'], callOptionErrors(`@PaymentsWebhook('${path}')`));
  const { account } = options;
  return (target, key, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as Method;
    assertNestAnswers(target, key);
    dropInheritedDelivery(target, key);
    const index = hiddenIndex(target, key, method);
    descriptor.value = copyDecorations(method, withinClaim(method, index));
    Delivery()(target, key, index);
    const runs = descriptor.value as Method;
    Reflect.defineMetadata(WEBHOOK_ROUTE, { account, runs } satisfies WebhookRouteMetadata, runs);
    const route = [
      Post(path),
      HttpCode(200),
      Version(VERSION_NEUTRAL),
      UseGuards(PaymentsWebhookGuard),
      UseFilters(new WebhookRefusalFilter()),
    ];
    for (const decorate of route) decorate(target, key, descriptor);
  };
}

/**
 * The verified event, for a route with `@PaymentsWebhook` or `@UseGuards(PaymentsWebhookGuard)`. It is a copy: what a pipe
 * or the method changes in it reaches neither the handlers nor the journal.
 *
 * @publicApi
 */
export const PaymentEvent: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => copyOf(receivable(context).event),
);

function receivable(context: ExecutionContext): ReceivableWebhook {
  const webhook = verifiedWebhooks.get(context.switchToHttp().getRequest<object>());
  if (webhook) return webhook;
  new SafeLogger('PaymentsWebhooks').error(
    `${context.getClass().name}.${context.getHandler().name} takes a webhook that nobody verified; answered 500. ` +
      'Add @PaymentsWebhook(path) or @UseGuards(PaymentsWebhookGuard), and do not replace that guard in tests: ' +
      'sign with postWebhook() of nestjs-payments/testing instead.',
  );
  routeProgress.set(nodeRequest(context), 'refused unverified');
  throw new WebhookRefusal(500, 'This webhook was not verified.');
}

function deliverOf(_data: unknown, context: ExecutionContext): Deliver {
  const webhook = receivable(context);
  const response = context.switchToHttp().getResponse<ResponseLike>();
  const name = `${context.getClass().name}.${context.getHandler().name}`;
  const request = nodeRequest(context);
  routeProgress.set(request, 'parameters');
  return async (last) => {
    routeProgress.set(request, 'handlers');
    const result = await webhook.receiver.receive(webhook, { name, run: last });
    routeProgress.set(request, result.status);
    answer(result, response);
  };
}

/**
 * Gives the route one more parameter, which runs the method within the claim. It is a function, because the
 * application's global pipes may rebuild an object.
 */
const Delivery = createParamDecorator(deliverOf);

function withinClaim(method: Method, index: number): Method {
  return async function (...args) {
    const deliver = args[index] as Deliver | undefined | null;
    if (typeof deliver !== 'function') {
      // A unit test of the controller calls the method directly.
      if (args.length <= index) return method.apply(this, args);
      throw lostInPipe(this, method);
    }
    await deliver(() => method.apply(this, args.slice(0, index)));
    return undefined;
  };
}

/** Without it, the method alone would run, and the gateway would get 200. */
function lostInPipe(controller: unknown, { name }: Method): WebhookRefusal {
  const route = `${(controller as object).constructor.name}.${name}`;
  new SafeLogger('PaymentsWebhooks').error(
    `A global pipe changed the function that ${route} gets from the package, so no handler can run; answered 500. ` +
      "Let the pipe return values that are functions, or all with metadata.type 'custom', as they are.",
  );
  return new WebhookRefusal(500, 'This webhook cannot be handled.');
}

/** With `@Res()` Nest leaves the answer to the method, which does not run for a repeated delivery. */
function assertNestAnswers(target: object, key: string | symbol): void {
  if (Reflect.getMetadata(PASSTHROUGH, target.constructor, key) === true) return;
  if (!Object.keys(routeArguments(target, key)).some((name) => ANSWERS_ITSELF.test(name))) return;
  throw new PaymentsConfigError(
    `${target.constructor.name}.${String(key)} receives webhooks and injects @Res() or @Next(), so that Nest would answer ` +
      'nothing: leave it out, or write @Res({ passthrough: true }).',
  );
}

/** The index after all parameters of the method, decorated or not. */
function hiddenIndex(target: object, key: string | symbol, method: Method): number {
  const types = (Reflect.getMetadata('design:paramtypes', target, key) ?? []) as readonly unknown[];
  const decorated = Object.values(routeArguments(target, key)).map(({ index }) => index + 1);
  return Math.max(method.length, types.length, ...decorated);
}

/** A route that overrides another one has inherited its last parameter, and would pass it on to `super`. */
function dropInheritedDelivery(target: object, key: string | symbol): void {
  const all = Object.entries(routeArguments(target, key));
  const others = all.filter(([, { factory }]) => factory !== deliverOf);
  if (others.length === all.length) return;
  Reflect.defineMetadata(ROUTE_ARGUMENTS, Object.fromEntries(others), target.constructor, key);
}

interface RouteArgument {
  readonly index: number;
  /** Of a decorator that `createParamDecorator` made. */
  readonly factory?: unknown;
}

function routeArguments(target: object, key: string | symbol): Readonly<Record<string, RouteArgument>> {
  return (Reflect.getMetadata(ROUTE_ARGUMENTS, target.constructor, key) ?? {}) as Readonly<
    Record<string, RouteArgument>
  >;
}

/** Copies the metadata of decorators below this one, because Nest reads that of the replacement. */
function copyDecorations(from: Method, to: Method): Method {
  for (const metadataKey of Reflect.getMetadataKeys(from) as unknown[]) {
    Reflect.defineMetadata(metadataKey, Reflect.getMetadata(metadataKey, from), to);
  }
  return Object.defineProperty(to, 'name', { value: from.name, configurable: true });
}

function answer(result: WebhookAnswer, response: ResponseLike): void {
  if (result.status === 200) return;
  if (result.status === 500) throw new WebhookRefusal(500, ANSWER_MESSAGES[500]);
  response.header('Retry-After', String(result.retryAfterSeconds));
  throw new WebhookRefusal(503, ANSWER_MESSAGES[503]);
}
