import { RequestMethod } from '@nestjs/common';
import { type DeclaredRoute } from './webhook-paths.js';
import { methodsOf, webhookRoute } from '../handlers/decorated-methods.js';
import { guardedAccount } from './payments-webhook.guard.js';

/** Nest's metadata keys for the method and host of a route. */
const METHOD = 'method';
const HOST = 'host';

interface ControllerClass {
  readonly name: string;
  readonly prototype: unknown;
}

/**
 * The methods of a controller that carry `@PaymentsWebhook`, or the guard: on themselves or on their class.
 */
export function declaredRoutes(controller: ControllerClass): readonly DeclaredRoute[] {
  const isHostBound = Reflect.getMetadata(HOST, controller) !== undefined;
  return methodsOf(controller.prototype).flatMap(({ name, method }) => {
    if (Reflect.getMetadata(METHOD, method) !== RequestMethod.POST) return [];
    const route = webhookRoute(method);
    const guarded = route ? undefined : (guardedAccount(method) ?? guardedAccount(controller));
    if (!route && guarded === undefined) return [];
    const account = route ? route.account : guarded;
    return [
      { method, name: `${controller.name}.${name}`, account, dispatches: route !== undefined, isHostBound },
    ];
  });
}
