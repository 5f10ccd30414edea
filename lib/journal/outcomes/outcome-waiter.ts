import { performance } from 'node:perf_hooks';
import { type JournalKey, type JournalStore, type StoredJournalRecord } from '../../storage/journal-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { withDeadline } from '../../common/timing.js';
import { isRefusedForGood } from '../payment/repeated-call.js';
import { type OutcomeNotifier } from './outcome-recorder.js';
import { type StatusResolver } from './status-resolver.js';

/** The interval between reads of the journal: another replica may get the webhook. */
const LOOK_EVERY_MS = 1_000;
/** The first and the longest interval between status queries. */
const FIRST_QUESTION_MS = 1_000;
const LONGEST_BETWEEN_QUESTIONS_MS = 15_000;

/** The record when the wait ended, or `aborted` if the signal fired first. */
type WaitEnd = { readonly existing: StoredJournalRecord | undefined } | { readonly aborted: true };

/** Waits until a payment is settled, or refused for good. */
export class OutcomeWaiter {
  constructor(
    private readonly store: JournalStore,
    private readonly notifier: OutcomeNotifier,
    private readonly status: StatusResolver,
  ) {}

  /** @param deadline By `performance.now()`. */
  async wait(key: JournalKey, deadline: number, signal: AbortSignal | undefined): Promise<WaitEnd> {
    let askAt = performance.now();
    let pause = FIRST_QUESTION_MS;
    let existing: StoredJournalRecord | undefined;
    for (;;) {
      const change = this.nextChange(key);
      try {
        const read = await withDeadline(this.store.get(key), deadline, signal);
        if (read.ended === 'aborted') return { aborted: true };
        if (read.ended === 'late') {
          if (existing) return { existing };
          throw new PaymentsStorageError('The journal did not answer in time.', { reference: key.reference });
        }
        existing = read.value;
        if (!existing || !isOpen(existing)) return { existing };
        if (performance.now() >= askAt && this.status.canAsk(key.family)) {
          const asked = await this.ask(existing, deadline, signal);
          askAt = performance.now() + pause;
          pause = Math.min(pause * 2, LONGEST_BETWEEN_QUESTIONS_MS);
          if (asked && !isOpen(asked)) return { existing: asked };
        }
        const lookAt = Math.min(deadline, performance.now() + LOOK_EVERY_MS);
        const waited = await withDeadline(change.happened, lookAt, signal);
        if (waited.ended === 'aborted') return { aborted: true };
        if (waited.ended === 'late' && performance.now() >= deadline) return { existing };
      } finally {
        change.forget();
      }
    }
  }

  private async ask(
    existing: StoredJournalRecord,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<StoredJournalRecord | undefined> {
    const leftMs = Math.ceil(deadline - performance.now());
    if (leftMs <= 0) return undefined;
    const question = this.status.ask(existing, { signal, deadlineMs: leftMs, timeoutMs: leftMs });
    const asked = await withDeadline(question, deadline, signal).catch((error: unknown) => {
      if (signal?.aborted) return { ended: 'aborted' as const };
      throw error;
    });
    return asked.ended === 'done' ? asked.value : undefined;
  }

  private nextChange(key: JournalKey): { readonly happened: Promise<void>; readonly forget: () => void } {
    let forget = (): void => {};
    const happened = new Promise<void>((resolve) => {
      forget = this.notifier.on(key, resolve);
    });
    return { happened, forget };
  }
}

/** A refusal that proves nothing leaves a payment open: a webhook, a status answer or the same call may still end it. */
function isOpen(existing: StoredJournalRecord): boolean {
  return existing.record.state !== 'settled' && !isRefusedForGood(existing);
}
