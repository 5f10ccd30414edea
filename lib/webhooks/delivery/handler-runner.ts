import { isProxy } from 'node:util/types';
import { isObservable, lastValueFrom } from 'rxjs';
import { performance } from 'node:perf_hooks';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxClaim } from '../../storage/inbox-store.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel, PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
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

/** What is to be done for one delivery. */
export interface HandlerPlan {
  /** Whether the journal knows the payment. */
  readonly known: boolean;
  /** Tells of a contradiction, before the outcome is written down. */
  readonly announce?: readonly HandlerStep[];
  /**
   * Writes the outcome to the journal, where the delivery is one.
   *
   * @param claim With the journal of its transaction, where there is one.
   */
  readonly settle?: (claim: Pick<InboxClaim, 'attempt' | 'journal'>) => Promise<void>;
  readonly handlers: readonly HandlerStep[];
  /** Called once the work is recorded as done. Never throws. */
  readonly done: () => void;
}

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
    // Nothing of it was done, and the journal decides: an entry that stays open would let it run, or stand
    // against a later outcome.
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

/** Before the names of the steps that tell of a contradiction: a method may listen to it and to the outcome. */
const ANNOUNCEMENT = 'conflict ';

/** A step and under which name the inbox remembers that it finished; without a name it is not remembered. */
interface PlannedStep extends HandlerStep {
  readonly mark?: string;
}

/**
 * Puts the steps of a claim in order, without those that finished in an earlier run.
 *
 * The journal comes before the handlers, so that they find the payment settled. In a transaction it comes last: it is
 * undone with everything else, and its row is locked no longer than needed.
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
  // Beside a transaction nothing is remembered: what a handler wrote is undone with everything else.
  if (transaction !== undefined) return inOrder.map(unmarked);
  const open = inOrder.filter(({ mark }) => mark === undefined || !finished.includes(mark));
  return open.map((step, index) => (index === open.length - 1 ? unmarked(step) : step));
}

/** Whether an earlier run began to tell of a contradiction. */
export function wasAnnounced({ finished }: Pick<InboxClaim, 'finished'>): boolean {
  return finished.some((mark) => mark.startsWith(ANNOUNCEMENT));
}

/** Two steps of one name are told apart by their order. */
function withMarks(steps: readonly HandlerStep[], prefix: string): readonly PlannedStep[] {
  return steps.map((step, index) => {
    const twins = steps.slice(0, index).filter(({ name }) => name === step.name).length;
    const mark = `${prefix}${step.name}${twins === 0 ? '' : `#${twins + 1}`}`;
    return { name: step.name, mark, run: step.run };
  });
}

/** The end of the work says it all. */
function unmarked({ name, run }: PlannedStep): PlannedStep {
  return { name, run };
}

/** How the work ended; `lost`: somebody else holds the claim, and decides. */
type StepsResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: string; readonly error: unknown }
  | { readonly ok: 'lost' };

/** One run of the handlers for a claim. */
interface HandlerRun {
  readonly claim: InboxClaim;
  readonly webhook: TracedWebhook;
  readonly context: DeliveryContext;
  readonly time: Pick<HandlerTime, 'timeoutError'>;
  /** What runs at the moment, for the log. */
  step: string;
}

/** Runs the steps one after the other, each awaited; the first that throws ends the work. */
async function runSteps(steps: readonly PlannedStep[], run: HandlerRun): Promise<StepsResult> {
  const { claim, webhook, context, time } = run;
  for (const { name, mark, run: handle } of steps) {
    // Whoever sent the delivery was told to come again: nothing new begins.
    if (time.timeoutError) return { ok: false, step: name, error: time.timeoutError };
    run.step = name;
    try {
      const work = (): Promise<unknown> => Promise.resolve(settled(handle(webhook.event, context)));
      await (webhook.trace ? webhook.trace.step(name, claim.attempt, work) : work());
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
