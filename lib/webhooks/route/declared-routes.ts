import { RequestMethod } from '@nestjs/common';
import { methodsOf, webhookRoute } from '../handlers/decorated-methods.js';
import { type DeclaredRoute, type MethodOwner } from './method-owners.js';
import { PaymentsWebhookGuard } from './payments-webhook.guard.js';

/** Nest's metadata keys for the method, path, host, guards and parameters of a route. */
const METHOD = 'method';
const PATH = 'path';
const HOST = 'host';
const GUARDS = '__guards__';
const ROUTE_ARGUMENTS = '__routeArguments__';
/** Nest's keys of route arguments begin with a number: 2 for `@Next()`. */
const NEXT = /^2:/;
/** In Nest's keys of arguments by decorators of the application, which can call `next()`, too. The package has one itself. */
const CUSTOM = /__customRouteArgs__/;
/** Nest's metadata keys for what can call `next()` beside the method. The package puts some around webhook routes. */
const AROUND = ['__interceptors__', '__exceptionFilters__'];

/** What takes POST requests. */
const TAKES_POST: readonly unknown[] = [RequestMethod.POST, RequestMethod.ALL];

interface ControllerClass {
  readonly name: string;
  readonly prototype: unknown;
}

/**
 * The methods that take POST requests, each with all controllers that have it: a method that several classes inherit may
 * have the guard in one of them only.
 */
export function postMethods(
  controllers: Iterable<ControllerClass>,
): ReadonlyMap<object, readonly MethodOwner[]> {
  const owners = new Map<object, readonly MethodOwner[]>();
  for (const controller of controllers) {
    for (const { name, method } of methodsOf(controller.prototype)) {
      if (!TAKES_POST.includes(Reflect.getMetadata(METHOD, method))) continue;
      owners.set(method, [...(owners.get(method) ?? []), ownerOf(controller, name, method)]);
    }
  }
  return owners;
}

function ownerOf(controller: ControllerClass, key: string, method: object): MethodOwner {
  const name = `${controller.name}.${key}`;
  const ownPaths = pathsOf(controller).flatMap((start) => pathsOf(method).map((end) => `${start}${end}`));
  const webhook = declaredRoute(controller, name, method);
  return {
    name,
    ownPaths,
    hosts: hostsOf(controller),
    handsOver:
      injects(NEXT, controller, key) ||
      (!webhook && (hasAround(controller, method) || injects(CUSTOM, controller, key))),
    webhook,
  };
}

function injects(kind: RegExp, controller: ControllerClass, key: string): boolean {
  const injected = (Reflect.getMetadata(ROUTE_ARGUMENTS, controller, key) ?? {}) as object;
  return Object.keys(injected).some((argument) => kind.test(argument));
}

function hasAround(...parts: readonly object[]): boolean {
  return AROUND.some((key) => parts.some((part) => Reflect.hasMetadata(key, part)));
}

function hostsOf(controller: ControllerClass): MethodOwner['hosts'] {
  const host = Reflect.getMetadata(HOST, controller) as string | RegExp | (string | RegExp)[] | undefined;
  return host === undefined ? undefined : [host].flat();
}

/** Undefined without `@PaymentsWebhook`, and without the guard on the method or its class. */
function declaredRoute(controller: ControllerClass, name: string, method: object): DeclaredRoute | undefined {
  if (Reflect.getMetadata(METHOD, method) !== RequestMethod.POST) return undefined;
  const route = webhookRoute(method);
  const guarded = route ? undefined : (guardedAccount(method) ?? guardedAccount(controller));
  if (!route && guarded === undefined) return undefined;
  const isHostBound = hostsOf(controller) !== undefined;
  const account = route ? route.account : guarded;
  return { controller, method, name, account, dispatches: route !== undefined, isHostBound };
}

/** The account of the webhook guard of a class or method; undefined if it has none. */
function guardedAccount(target: object): string | undefined {
  const guards = (Reflect.getMetadata(GUARDS, target) ?? []) as readonly unknown[];
  return guards.find(isWebhookGuard)?.account;
}

function isWebhookGuard(guard: unknown): guard is typeof PaymentsWebhookGuard {
  return (
    guard === PaymentsWebhookGuard ||
    (typeof guard === 'function' && guard.prototype instanceof PaymentsWebhookGuard)
  );
}

/** As Nest joins them: `/webhooks`, and nothing for `/`. */
function pathsOf(target: object): readonly string[] {
  const paths = [Reflect.getMetadata(PATH, target) as string | readonly string[] | undefined].flat();
  return paths.map((path = '') => {
    const segments = path.split('/').filter((segment) => segment !== '');
    return segments.map((segment) => `/${segment}`).join('');
  });
}
