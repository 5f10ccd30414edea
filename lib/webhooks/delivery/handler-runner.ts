import { isProxy } from 'node:util/types';
import { isObservable, lastValueFrom } from 'rxjs';
import { performance } from 'node:perf_hooks';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { copyOf } from '../../common/json-object.js';
import { type InboxClaim } from '../../storage/inbox-store.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel, PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { HandlerEnlistments } from '../../journal/payment/handler-enlistments.js';
import { ChangedMeanwhileError } from '../../journal/outcomes/webhook-outcomes.js';
import { retryWrite, withDeadline } from '../../common/timing.js';
import { DeliveryContext, HandlerTime } from '../handlers/handler-context.js';
import { type HandlerStep } from '../handlers/payment-handlers.js';
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

/** The work for one delivery. */
export interface HandlerPlan {
  /** Whether the journal knows the payment. */
  readonly known: boolean;
  /** Announces a contradiction before the outcome is written down. */
  readonly announce?: readonly HandlerStep[];
  /**
   * Writes the outcome to the journal, if the delivery is one.
   *
   * @param claim With the journal of its transaction, if there is one.
   */
  readonly settle?: (claim: Pick<InboxClaim, 'attempt' | 'journal'>) => Promise<void>;
  readonly handlers: readonly HandlerStep[];
  /** Called when the work is recorded as done. Never throws. */
  readonly done: () => void;
}

/** Does the work for a claim and ends the claim. */
export class HandlerRunner {
  private readonly logger = new SafeLogger('PaymentsWebhooks');

  constructor(
    private readonly account: string,
    private readonly times: Pick<ResolvedWebhookOptions, 'handlerTimeoutMs' | 'leaseMs'>,
    private readonly running: RunningWork,
  ) {}

  /** Rejects only if the storage does. */
  async run(claim: InboxClaim, plan: HandlerPlan, webhook: TracedWebhook): Promise<WebhookAnswer> {
    const { handlerTimeoutMs, leaseMs } = this.times;
    const { transaction, attempt } = claim;
    const time = new HandlerTime();
    const context = new DeliveryContext(
      this.account,
      attempt,
      plan.known,
      webhook.deliveredAt,
      time,
      transaction,
    );
    const run = { claim, webhook, given: copyOf(webhook.event), context, time, step: 'The inbox' };
    const enlisted = new HandlerEnlistments();
    const runAll = (): Promise<StepsResult> => enlisted.run(() => runSteps(planHandlers(plan, claim), run));
    const steps = claim.within ? claim.within(runAll) : runAll();
    const waited = await withDeadline(steps, performance.now() + handlerTimeoutMs);
    const { event } = webhook;
    if (waited.ended === 'done') return this.end(claim, waited.value, plan, event, enlisted);
    time.end(new Error(`The handlers took longer than ${handlerTimeoutMs} ms (handlerTimeoutMs).`));
    const subject = describeEvent(event);
    this.logger.error(
      `${run.step} takes longer than ${handlerTimeoutMs} ms for ${subject} and runs on; answered 503.`,
    );
    // The work that runs on keeps the claim, so no second run begins while the lease holds.
    const ended = steps.then((result) => this.end(claim, result, plan, event, enlisted));
    const rest = this.running.track(ended, () => `${run.step} for ${subject}`);
    rest.catch((error: unknown) => {
      this.logger.error(`The end of ${subject} could not be recorded: ${failureLabel(error)}`);
    });
    return retryLater(leaseMs - handlerTimeoutMs);
  }

  private async end(
    claim: InboxClaim,
    result: StepsResult,
    plan: HandlerPlan,
    event: PaymentWebhookEvent,
    enlisted: HandlerEnlistments,
  ): Promise<WebhookAnswer> {
    if (result.ok === false) return this.release(claim, result, event);
    if (result.ok === true && (await finished(claim))) {
      plan.done();
      enlisted.send();
      return DONE;
    }
    this.logger.error(`The handlers of ${describeEvent(event)} outran their lease; another run decides.`);
    return retryLater(0);
  }

  private async release(
    claim: InboxClaim,
    { step, error }: { readonly step: string; readonly error: unknown },
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    this.logger.error(
      `${step} failed for ${describeEvent(event)}; the next delivery runs again: ${errorText(error)}`,
    );
    // No handler ran, and the journal decides. An open entry would let this outcome run later, or block
    // another one.
    const isObsolete = error instanceof ChangedMeanwhileError && claim.finished.length === 0;
    await (isObsolete ? claim.withdraw() : claim.fail()).catch((failure: unknown) => {
      this.logger.error(
        `The claim could not be released and holds until its lease ends: ${failureLabel(failure)}`,
      );
    });
    return isPaymentsError(error) && error.name === 'PaymentsStorageError'
      ? retryLater(STORAGE_RETRY_MS)
      : FAILED;
  }
}

/** Prefix of the steps that announce a contradiction: a method may listen to it and to the outcome. */
const ANNOUNCEMENT = 'conflict ';

/** A step, and the name under which the inbox remembers that it finished. Without `mark` it does not. */
interface PlannedStep extends HandlerStep {
  readonly mark?: string;
}

/**
 * Puts the steps of a claim in order, without those that finished in an earlier run.
 *
 * The journal comes before the handlers, so that they find the payment settled. In a transaction it comes
 * last, so that its row is not locked for long; a failure undoes it with everything else.
 */
export function planHandlers(
  { announce = [], settle, handlers }: Pick<HandlerPlan, 'announce' | 'settle' | 'handlers'>,
  claim: Pick<InboxClaim, 'attempt' | 'finished' | 'transaction' | 'journal'>,
): readonly PlannedStep[] {
  const { finished, transaction, journal } = claim;
  const first = withMarks(announce, ANNOUNCEMENT);
  const then = withMarks(handlers, '');
  const settling: readonly PlannedStep[] = settle
    ? [{ name: 'PaymentsJournal', run: () => settle(claim) }]
    : [];
  const inOrder = journal ? [...first, ...then, ...settling] : [...first, ...settling, ...then];
  const open = inOrder.filter(({ mark }) => mark === undefined || !finished.includes(mark));
  // In a transaction no step is remembered, because a failure undoes all of them. An earlier run may have had none.
  if (transaction !== undefined) return open.map(unmarked);
  return open.map((step, index) => (index === open.length - 1 ? unmarked(step) : step));
}

/** Whether an earlier run began to announce a contradiction. */
export function wasAnnounced({ finished }: Pick<InboxClaim, 'finished'>): boolean {
  return finished.some((mark) => mark.startsWith(ANNOUNCEMENT));
}

/** Tells two steps of one name apart by their order. */
function withMarks(steps: readonly HandlerStep[], prefix: string): readonly PlannedStep[] {
  return steps.map((step, index) => {
    const twins = steps.slice(0, index).filter(({ name }) => name === step.name).length;
    const mark = `${prefix}${step.name}${twins === 0 ? '' : `#${twins + 1}`}`;
    return { name: step.name, mark, run: step.run };
  });
}

/** The last step needs no mark: the end of the claim records it. */
function unmarked({ name, run }: PlannedStep): PlannedStep {
  return { name, run };
}

/** How the work ended; `lost`: another process holds the claim and decides. */
type StepsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly error: unknown }
  | { readonly ok: 'lost' };

/** One run of the handlers for a claim. */
interface HandlerRun {
  readonly claim: InboxClaim;
  readonly webhook: TracedWebhook;
  /** The handlers share a copy, and may change it: the package settles and records what the gateway said. */
  readonly given: PaymentWebhookEvent;
  readonly context: DeliveryContext;
  readonly time: Pick<HandlerTime, 'timeoutError'>;
  /** The running step, for the log. */
  step: string;
}

/** Runs the steps one after the other. The first that throws ends the work. */
async function runSteps(steps: readonly PlannedStep[], run: HandlerRun): Promise<StepsResult> {
  const { claim, webhook, given, context, time } = run;
  for (const { name, mark, run: handle } of steps) {
    // The answer has asked the gateway to deliver again, so no new step begins.
    if (time.timeoutError) return { ok: false, step: name, error: time.timeoutError };
    run.step = name;
    try {
      const work = (): Promise<unknown> => settled(handle(given, context));
      await (webhook.trace ? webhook.trace.step(name, claim.attempt, work) : work());
      if (mark !== undefined && !(await remember(claim, mark))) return { ok: 'lost' };
    } catch (error) {
      return { ok: false, step: name, error: readable(error) };
    }
  }
  return { ok: true };
}

/** Inspecting a Proxy runs application code, which may throw before the claim is released. */
function readable(thrown: unknown): unknown {
  return isProxy(thrown) ? new Error('A Proxy was thrown.') : thrown;
}

/**
 * A method may return an Observable, which does nothing before somebody subscribes. An async method returns a promise of
 * it, as does each method of a request-scoped provider.
 */
async function settled(result: unknown): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? lastValueFrom(value, { defaultValue: undefined }) : value;
}

/** Tries again only without a transaction: a failure ends a transaction. */
function finished(claim: InboxClaim): Promise<boolean> {
  return claim.transaction === undefined ? retryWrite(() => claim.finish()) : claim.finish();
}

/** Hides a store's own error, which may hold the data to store. */
async function remember(claim: InboxClaim, name: string): Promise<boolean> {
  try {
    return await retryWrite(() => claim.mark(name));
  } catch (error) {
    throw new PaymentsStorageError(
      `It finished, but that could not be written down, so it may run again: ${failureLabel(error)}`,
    );
  }
}

/** The running work of one account, for which a shutdown waits. */
export class RunningWork {
  private readonly running = new Map<Promise<unknown>, () => string>();

  /** @param describe The running step, for the log. */
  async track<T>(work: Promise<T>, describe: () => string): Promise<T> {
    this.running.set(work, describe);
    try {
      return await work;
    } finally {
      this.running.delete(work);
    }
  }

  /** Waits until nothing runs or the limit is over. Resolves to what still runs. */
  async idle(limitMs: number): Promise<readonly string[]> {
    const deadline = performance.now() + limitMs;
    while (this.running.size > 0) {
      const { ended } = await withDeadline(Promise.allSettled(this.running.keys()), deadline);
      if (ended === 'late') break;
    }
    return [...this.running.values()].map((describe) => describe());
  }
}
