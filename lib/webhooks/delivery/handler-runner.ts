import { isProxy } from 'node:util/types';
import { isObservable, lastValueFrom } from 'rxjs';
import { performance } from 'node:perf_hooks';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxClaim } from '../../storage/inbox-store.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel, PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { ChangedMeanwhileError } from '../../journal/outcomes/webhook-outcomes.js';
import { withDeadline } from '../../common/with-deadline.js';
import { DeliveryContext, HandlerTime } from '../handlers/handler-context.js';
import {
  retryLater,
  describeEvent,
  DONE,
  errorText,
  FAILED,
  STORAGE_RETRY_MS,
  type WebhookAnswer,
} from './webhook-answer.js';
import { type TracedWebhook } from './webhook-trace.js';
import { type HandlerPlan, planHandlers, type PlannedStep } from './handler-plan.js';
import { setTimeout as pause } from 'node:timers/promises';

/** Does the work for a claim and ends the claim accordingly. */
export class HandlerRunner {
  private readonly logger = new SafeLogger('PaymentsWebhooks');

  constructor(
    private readonly account: string,
    private readonly times: Pick<ResolvedWebhookOptions, 'handlerTimeoutMs' | 'leaseMs'>,
    private readonly running: RunningWork,
  ) {}

  /** Rejects only where the storage does. */
  async run(claim: InboxClaim, work: HandlerPlan, webhook: TracedWebhook): Promise<WebhookAnswer> {
    const { handlerTimeoutMs, leaseMs } = this.times;
    const { transaction, attempt } = claim;
    const time = new HandlerTime();
    const context = new DeliveryContext(
      this.account,
      attempt,
      work.known,
      webhook.deliveredAt,
      time,
      transaction,
    );
    const run = { claim, webhook, context, time, step: 'The inbox' };
    const steps = runSteps(planHandlers(work, claim), run);
    const waited = await withDeadline(steps, performance.now() + handlerTimeoutMs);
    if (waited.ended === 'done') return this.end(claim, waited.value, work, webhook.event);
    time.end(new Error(`The handlers took longer than ${handlerTimeoutMs} ms (handlerTimeoutMs).`));
    const subject = describeEvent(webhook.event);
    this.logger.error(
      `${run.step} takes longer than ${handlerTimeoutMs} ms for ${subject} and runs on; answered 503.`,
    );
    // The claim stays with the work that runs on: no second run begins beside it while the lease holds.
    const ended = steps.then((result) => this.end(claim, result, work, webhook.event));
    const rest = this.running.track(ended, () => `${run.step} for ${subject}`);
    rest.catch((error: unknown) => {
      this.logger.error(`The end of ${subject} could not be recorded: ${failureLabel(error)}`);
    });
    return retryLater(leaseMs - handlerTimeoutMs);
  }

  private async end(
    claim: InboxClaim,
    result: StepsResult,
    work: HandlerPlan,
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    if (result.ok === false) return this.giveBack(claim, result, event);
    if (result.ok === true && (await finished(claim))) {
      work.done();
      return DONE;
    }
    this.logger.error(`The handlers of ${describeEvent(event)} outran their lease; another run decides.`);
    return retryLater(0);
  }

  private async giveBack(
    claim: InboxClaim,
    { step, error }: { readonly step: string; readonly error: unknown },
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    this.logger.error(
      `${step} failed for ${describeEvent(event)}; the next delivery runs again: ${errorText(error)}`,
    );
    // Nothing of it was done, and the journal decides: an entry that stays open would let it run, or stand against a later outcome.
    const isObsolete = error instanceof ChangedMeanwhileError && claim.finished.length === 0;
    await (isObsolete ? claim.withdraw() : claim.fail()).catch((failure: unknown) => {
      this.logger.error(
        `The claim could not be given back and holds until its lease ends: ${failureLabel(failure)}`,
      );
    });
    return isPaymentsError(error) && error.name === 'PaymentsStorageError'
      ? retryLater(STORAGE_RETRY_MS)
      : FAILED;
  }
}

/** How the work ended; `lost`: somebody else holds the claim, and decides. */
export type StepsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly error: unknown }
  | { readonly ok: 'lost' };

/** One run of the handlers for a claim. */
interface HandlerRun {
  readonly claim: InboxClaim;
  readonly webhook: TracedWebhook;
  readonly context: DeliveryContext;
  readonly time: Pick<HandlerTime, 'over'>;
  /** What runs at the moment, for the log. */
  step: string;
}

/** Runs the steps one after the other, each awaited; the first that throws ends the work. */
async function runSteps(steps: readonly PlannedStep[], run: HandlerRun): Promise<StepsResult> {
  const { claim, webhook, context, time } = run;
  for (const { name, mark, run: handle } of steps) {
    // Whoever sent the delivery was told to come again: nothing new begins.
    if (time.over) return { ok: false, step: name, error: time.over };
    run.step = name;
    try {
      await webhook.trace.step(name, claim.attempt, () =>
        Promise.resolve(settled(handle(webhook.event, context))),
      );
      if (mark !== undefined && !(await remember(claim, mark))) return { ok: 'lost' };
    } catch (error) {
      return { ok: false, step: name, error: readable(error) };
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

/** What failed in a transaction is undone, and cannot be tried again in it. */
function finished(claim: InboxClaim): Promise<boolean> {
  return claim.transaction === undefined ? retryWrite(() => claim.finish()) : claim.finish();
}

/** A store's own error stays inside: it may hold what was to be stored. */
async function remember(claim: InboxClaim, name: string): Promise<boolean> {
  try {
    return await retryWrite(() => claim.mark(name));
  } catch (error) {
    throw new PaymentsStorageError(
      `It finished, but that could not be written down, so it may run again: ${failureLabel(error)}`,
    );
  }
}

const FIRST_WAIT_MS = 50;
const GIVE_UP_AFTER_MS = 1_000;

/**
 * Writes something down, for about a second again where the storage does not take it, and once again in any case: a client
 * that makes its connection anew, or an answer that was lost, must not cost an effect that has happened its record, for then it
 * would happen again.
 */
export async function retryWrite(write: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return await write();
    } catch (error) {
      const isFirst = waitMs === FIRST_WAIT_MS;
      if (!isFirst && performance.now() + waitMs > giveUpAt) throw error;
    }
    await pause(waitMs);
  }
}

/** What is being worked on for one account, so that a shutdown can wait for it. */
export class RunningWork {
  private readonly running = new Map<Promise<unknown>, () => string>();

  /** @param describe What runs at the moment, for the log. */
  async track<T>(work: Promise<T>, describe: () => string): Promise<T> {
    this.running.set(work, describe);
    try {
      return await work;
    } finally {
      this.running.delete(work);
    }
  }

  /** Waits until nothing runs any more, no longer than said. Resolves to what still runs then. */
  async idle(limitMs: number): Promise<readonly string[]> {
    const deadline = performance.now() + limitMs;
    while (this.running.size > 0) {
      const { ended } = await withDeadline(Promise.allSettled(this.running.keys()), deadline);
      if (ended === 'late') break;
    }
    return [...this.running.values()].map((describe) => describe());
  }
}
