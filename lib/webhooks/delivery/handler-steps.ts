import { isObservable, lastValueFrom } from 'rxjs';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type PaymentEventContext } from './payment-event-context.js';

/** One piece of the work for a delivery. */
export interface HandlerStep {
  /** For logs: `Orders.paid`. */
  readonly name: string;
  run(event: PaymentWebhookEvent, context: PaymentEventContext): unknown;
}

/** How the work ended. */
export type StepsResult =
  { readonly ok: true } | { readonly ok: false; readonly step: string; readonly error: unknown };

/** The work in time, or what is still running when the time is over. */
export type TimedResult = StepsResult | { readonly ok: 'late'; readonly rest: Promise<StepsResult> };

/** Runs the steps one after the other, each awaited; the first that throws ends the work. */
export async function runSteps(
  steps: readonly HandlerStep[],
  event: PaymentWebhookEvent,
  context: Omit<PaymentEventContext, 'signal'>,
  timeoutMs: number,
): Promise<TimedResult> {
  const timeout = new AbortController();
  const { signal } = timeout;
  const work = inOrder(steps, event, { ...context, signal });
  const late = new Promise<TimedResult>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve({ ok: 'late', rest: work });
    });
  });
  const timer = setTimeout(() => {
    timeout.abort(new Error(`The handlers took longer than ${timeoutMs} ms (handlerTimeoutMs).`));
  }, timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function inOrder(
  steps: readonly HandlerStep[],
  event: PaymentWebhookEvent,
  context: PaymentEventContext,
): Promise<StepsResult> {
  for (const step of steps) {
    // Whoever sent the delivery was told to come again: nothing new begins.
    if (context.signal.aborted) return { ok: false, step: step.name, error: context.signal.reason };
    try {
      await settled(step.run(event, context));
    } catch (error) {
      return { ok: false, step: step.name, error };
    }
  }
  return { ok: true };
}

/** A controller's method may return an Observable; it does nothing until somebody subscribes. */
function settled(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
