import { isProxy } from 'node:util/types';
import { isObservable, lastValueFrom } from 'rxjs';
import { type PaymentWebhookEvent } from '../../common/events.js';

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
export interface StepHooks {
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
  { context, time, begins, around, mark }: StepHooks,
): Promise<StepsResult> {
  for (const step of steps) {
    // Whoever sent the delivery was told to come again: nothing new begins.
    if (time.over) return { ok: false, step: step.name, error: time.over };
    begins(step.name);
    try {
      await around(step.name, () => Promise.resolve(settled(step.run(event, context))));
      if (step.mark !== undefined && !(await mark(step.mark))) return { ok: 'lost' };
    } catch (error) {
      return { ok: false, step: step.name, error: readable(error) };
    }
  }
  return { ok: true };
}

/** To look at a Proxy runs code of the application, which may throw where the delivery still has to be given back. */
function readable(thrown: unknown): unknown {
  return isProxy(thrown) ? new Error('A Proxy was thrown.') : thrown;
}

/** A controller's method may return an Observable; it does nothing until somebody subscribes. */
function settled(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}

/** The time that the handlers of one delivery have. */
export class HandlerTime {
  private reason: Error | undefined;
  private controller: AbortController | undefined;

  /** Why nothing new may begin; undefined while there is time. */
  get over(): Error | undefined {
    return this.reason;
  }

  /** Made for whoever asks: few handlers do, and it would cost more than to claim the delivery. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  end(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}

/**
 * What a handler is told beside the event.
 *
 * @publicApi
 */
export interface PaymentEventContext {
  /** Merchant account that the webhook belongs to. */
  readonly account: string;
  /** 1 for the first run of the handlers for this outcome; higher after a failed one. */
  readonly attempt: number;
  /**
   * Whether this application made the payment, as far as the journal knows. A payment is written down before it is sent, so
   * this is true also where the webhook comes before the answer of the call, and after a purge while the journal keeps a
   * tombstone. False: another system of the account made the payment, or the storage lost it (memory, after a restart).
   * Amount and currency are compared with those of the payment only where the journal still holds them.
   */
  readonly known: boolean;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /** Aborted when `handlerTimeoutMs` is over and the delivery was answered without waiting any longer. */
  readonly signal: AbortSignal;
  /**
   * The open database transaction, where the storage commits together with the handler's writes. Never end it: an ORM's own
   * `transaction()` on it would commit for good, and the delivery would come again.
   */
  readonly transaction?: unknown;
}
