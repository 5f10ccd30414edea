import { performance } from 'node:perf_hooks';
import { type JournalKey, type JournalStore, type StoredJournalRecord } from '../../storage/journal-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { allowManyListeners } from '../../common/abort-signal.js';
import { withDeadline } from '../../common/timing.js';
import { isRefusedForGood } from '../payment/repeated-call.js';
import { type OutcomeNotifier } from './outcome-recorder.js';
import { ASK_WITHIN_MS, type StatusResolver } from './status-resolver.js';

/** The interval between reads of the journal: another replica may get the webhook. */
const LOOK_EVERY_MS = 1_000;
/** How long a read may take beyond the wait: the last one says whether the payment ended a moment before. */
const LAST_LOOK_MS = 500;
/** The first and the longest interval between status queries. */
const FIRST_QUESTION_MS = 1_000;
const LONGEST_BETWEEN_QUESTIONS_MS = 15_000;

/** The last record that was read. `aborted` if the signal fired, or the application stopped, before the wait ended. */
interface WaitEnd {
  readonly existing?: StoredJournalRecord | undefined;
  readonly aborted?: true;
}

/** Waits until a payment is settled, or refused for good. */
export class OutcomeWaiter {
  constructor(
    private readonly store: JournalStore,
    private readonly notifier: OutcomeNotifier,
    private readonly status: StatusResolver,
    /** Fires when the application stops: then a wait would hold an open request, and ask what is closed. */
    private readonly stopped: AbortSignal,
  ) {}

  /** @param deadline By `performance.now()`. */
  async wait(key: JournalKey, deadline: number, signal: AbortSignal | undefined): Promise<WaitEnd> {
    if (this.stopped.aborted) return { aborted: true };
    const questions = new StatusQuestions(this.status, deadline);
    const ending = new AbortController();
    const abort = (): void => {
      ending.abort();
    };
    if (signal) allowManyListeners(signal);
    signal?.addEventListener('abort', abort);
    this.stopped.addEventListener('abort', abort);
    try {
      return await this.untilEnded(key, questions, deadline, ending.signal);
    } finally {
      signal?.removeEventListener('abort', abort);
      this.stopped.removeEventListener('abort', abort);
      questions.stop();
    }
  }

  /** Hears of changes in this process and reads the journal while the gateway is asked: its path may hang. */
  private async untilEnded(
    key: JournalKey,
    questions: StatusQuestions,
    deadline: number,
    ending: AbortSignal,
  ): Promise<WaitEnd> {
    let existing: StoredJournalRecord | undefined;
    for (;;) {
      const change = this.nextChange(key);
      try {
        const read = await withDeadline(this.store.get(key), deadline + LAST_LOOK_MS, ending);
        if (read.ended === 'aborted') return { existing, aborted: true };
        if (read.ended === 'late') {
          if (existing) return { existing };
          throw new PaymentsStorageError('The journal did not answer in time.', { reference: key.reference });
        }
        existing = read.value;
        if (!existing || !isOpen(existing) || performance.now() >= deadline) return { existing };
        const question = questions.next(existing);
        const news = question ? Promise.race([change.happened, question]) : change.happened;
        const lookAt = Math.min(deadline, performance.now() + LOOK_EVERY_MS);
        const waited = await withDeadline(news, lookAt, ending);
        if (waited.ended === 'aborted') return { existing, aborted: true };
        const answered = waited.ended === 'done' ? waited.value : undefined;
        if (answered && !isOpen(answered)) return { existing: answered };
      } finally {
        change.forget();
      }
    }
  }

  private nextChange(key: JournalKey): {
    readonly happened: Promise<undefined>;
    readonly forget: () => void;
  } {
    let forget = (): void => {};
    const happened = new Promise<undefined>((resolve) => {
      forget = this.notifier.on(key, () => {
        resolve(undefined);
      });
    });
    return { happened, forget };
  }
}

/** The status queries of one wait: one at a time, in longer and longer intervals. */
class StatusQuestions {
  private readonly stopping = new AbortController();
  private askAt = performance.now();
  private pause = FIRST_QUESTION_MS;
  private running: Promise<StoredJournalRecord> | undefined;

  constructor(
    private readonly status: StatusResolver,
    private readonly deadline: number,
  ) {}

  /** The query that runs, or that is due and begins. */
  next(existing: StoredJournalRecord): Promise<StoredJournalRecord> | undefined {
    const isDue = performance.now() >= this.askAt && this.status.canAsk(existing.record.family);
    if (!this.running && isDue) this.begin(existing);
    return this.running;
  }

  /** Gives up the query that runs. */
  stop(): void {
    this.stopping.abort();
  }

  private begin(existing: StoredJournalRecord): void {
    const leftMs = Math.max(1, Math.ceil(this.deadline - performance.now()));
    const limitMs = Math.min(ASK_WITHIN_MS, leftMs);
    const limits = { timeoutMs: limitMs, deadlineMs: limitMs };
    this.running = this.status.ask(existing, { signal: this.stopping.signal, ...limits });
    this.running.then(
      () => {
        this.running = undefined;
        this.askAt = performance.now() + this.pause;
        this.pause = Math.min(this.pause * 2, LONGEST_BETWEEN_QUESTIONS_MS);
      },
      // It stays, for the next caller that asks for it. Nobody does after `stop`.
      () => undefined,
    );
  }
}

/** A refusal that proves nothing leaves a payment open: a webhook, a status answer or the same call may still end it. */
function isOpen(existing: StoredJournalRecord): boolean {
  return existing.record.state !== 'settled' && !isRefusedForGood(existing);
}
