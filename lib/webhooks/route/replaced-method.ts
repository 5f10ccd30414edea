import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { SafeLogger } from '../../common/safe-logger.js';
import { webhookRoute } from '../handlers/decorated-methods.js';
import { routeProgress } from '../raw-body/answered-request.js';
import { nodeRequest } from '../raw-body/captured-body.js';
import { WebhookRefusal } from '../raw-body/webhook-refusal.js';

/** Nest's metadata key for the interceptors of a class or method. */
const INTERCEPTORS = '__interceptors__';

/**
 * Watches a method that a decorator above `@PaymentsWebhook` put in place of the package's. It may leave out the package's
 * argument, or not wait: then the gateway would get 200 although no handler has finished. Other routes do without this
 * interceptor, so that their webhooks pay nothing for it.
 */
export function watchReplacedMethod(method: object): void {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS, method) ?? []) as readonly unknown[];
  const others = interceptors.filter((one) => !(one instanceof ReplacedMethodWatch));
  // Nest asks the last one last.
  Reflect.defineMetadata(INTERCEPTORS, [...others, new ReplacedMethodWatch()], method);
}

class ReplacedMethodWatch implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = nodeRequest(context);
    return next.handle().pipe(
      map((result: unknown) => {
        if (routeProgress.get(request) === 200) return result;
        routeProgress.set(request, 500);
        throw unhandled(context);
      }),
    );
  }
}

function unhandled(context: ExecutionContext): WebhookRefusal {
  // The other method may have no name.
  const { runs } = webhookRoute(context.getHandler()) ?? {};
  const route = `${context.getClass().name}.${runs?.name ?? ''}`;
  new SafeLogger('PaymentsWebhooks').error(
    `A decorator above @PaymentsWebhook replaced ${route} by a method that ended although the handlers had not finished; ` +
      'answered 500. Let that method end with return original.apply(this, args), with all its arguments, or write the decorator ' +
      'below @PaymentsWebhook.',
  );
  return new WebhookRefusal(500, 'This webhook cannot be handled.');
}
