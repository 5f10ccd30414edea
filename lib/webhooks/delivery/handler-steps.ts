import { isObservable, lastValueFrom } from 'rxjs';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type HandlerTime } from './handler-time.js';
import { type PaymentEventContext } from './payment-event-context.js';

/** One piece of the work for a delivery. */
export interface HandlerStep {
  /** For logs: `Orders.paid`. */
  readonly name: string;
  readonly run: (event: PaymentWebhookEvent, context: PaymentEventContext) => unknown;
}

/** A step and under which name the inbox remembers that it finished; without a name it is not remembered. */
export interface PlannedStep extends HandlerStep {
  readonly mark?: string;
}

/** How the work ended; `lost`: somebody else holds the claim, and decides. */
export type StepsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly error: unknown }
  | { readonly ok: 'lost' };

/** What surrounds the steps. */
export interface StepsFrame {
  readonly context: PaymentEventContext;
  readonly time: Pick<HandlerTime, 'over'>;
  /** Hears which step begins. */
  readonly begins: (name: string) => void;
  /** Takes a step. */
  readonly around: (name: string, run: () => Promise<unknown>) => Promise<unknown>;
  /** Remembers that a step finished; false where the claim was lost. */
  readonly mark: (name: string) => Promise<boolean>;
}

/** Runs the steps one after the other, each awaited; the first that throws ends the work. */
export async function runSteps(
  steps: readonly PlannedStep[],
  event: PaymentWebhookEvent,
  { context, time, begins, around, mark }: StepsFrame,
): Promise<StepsResult> {
  for (const step of steps) {
    // Whoever sent the delivery was told to come again: nothing new begins.
    if (time.over) return { ok: false, step: step.name, error: time.over };
    begins(step.name);
    try {
      await around(step.name, () => Promise.resolve(settled(step.run(event, context))));
      if (step.mark !== undefined && !(await mark(step.mark))) return { ok: 'lost' };
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
