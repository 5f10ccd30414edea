import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { decideClaim, type InboxEntry } from '../inbox-decision.js';
import { inOneTurn, scopeText, storageFull } from './memory-records.js';

/** An outcome whose handlers run, or must run again. */
interface UnfinishedEntry extends InboxEntry {
  state: 'running' | 'open';
  readonly fence: number;
  readonly attempt: number;
  finished: readonly string[];
}

interface DoneEntry extends InboxEntry {
  readonly state: 'done';
  providerReference?: string | undefined;
  readonly fence: number;
  readonly doneAt: number;
}

/** The inbox of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryInbox implements InboxStore {
  /** Never forgotten: its work is not done. */
  private readonly unfinished = new Map<string, UnfinishedEntry>();
  /** In the order in which they finished. */
  private readonly done = new Map<string, DoneEntry>();
  private readonly waiters = new Map<string, Set<() => void>>();
  /** Iterates over `done`, because a new iterator for each entry would step over all the entries deleted before. */
  private oldest = this.done.keys();
  /** One counter for all entries, so that a forgotten entry's claim never fits the entry that follows it. */
  private lastFence = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number = () => Date.now(),
  ) {}

  claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    return inOneTurn(() => this.claimNow(delivery, leaseMs));
  }

  async waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    const id = keyText(key);
    if (this.unfinished.get(id)?.state !== 'running') return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiters.get(id) ?? new Set();
      const wake = (): void => {
        clearTimeout(timer);
        waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.waiters.set(id, waiters.add(wake));
    });
  }

  purge(scope: InboxScope, olderThanMs: number): Promise<number> {
    return inOneTurn(() => {
      const latest = this.now() - olderThanMs;
      const ofScope = scopeText(scope);
      const forgotten = [...this.done].filter(
        ([id, { doneAt }]) => doneAt < latest && id.startsWith(ofScope),
      );
      for (const [id] of forgotten) this.done.delete(id);
      return forgotten.length;
    });
  }

  private claimNow(delivery: InboxDelivery, leaseMs: number): ClaimResult {
    const id = keyText(delivery.key);
    const unfinished = this.unfinished.get(id);
    const done = this.done.get(id);
    const entry = unfinished ?? done;
    const now = this.now();
    const decision = decideClaim(entry, delivery, now);
    if (decision === 'done' && done) done.providerReference ??= delivery.providerReference;
    if (decision === 'done' || decision === 'missing') return { result: decision };
    if (decision === 'busy') return { result: 'busy', leaseLeftMs: (unfinished?.leaseUntil ?? now) - now };
    if (decision === 'conflict') return { result: 'conflict', existingEvent: entry?.event ?? '' };
    if (done) this.done.delete(id);
    if (!entry) this.makeRoom();
    const again = decision === 'run' ? unfinished : undefined;
    const claimed: UnfinishedEntry = {
      event: delivery.event,
      fingerprint: delivery.fingerprint,
      providerReference: delivery.providerReference ?? again?.providerReference,
      state: 'running',
      leaseUntil: now + leaseMs,
      fence: ++this.lastFence,
      attempt: (again?.attempt ?? 0) + 1,
      finished: again?.finished ?? [],
    };
    this.unfinished.set(id, claimed);
    return { result: 'claimed', claim: this.claimOf(id, claimed) };
  }

  private claimOf(id: string, { fence, attempt, finished }: UnfinishedEntry): InboxClaim {
    return {
      attempt,
      finished,
      mark: (handler) => inOneTurn(() => this.mark(id, fence, handler)),
      finish: () => inOneTurn(() => this.finish(id, fence)),
      fail: () =>
        inOneTurn(() => {
          this.fail(id, fence);
        }),
      withdraw: () =>
        inOneTurn(() => {
          this.withdraw(id, fence);
        }),
    };
  }

  private mark(id: string, fence: number, handler: string): boolean {
    const entry = this.heldBy(id, fence);
    if (entry) entry.finished = [...entry.finished, handler];
    return entry !== undefined;
  }

  private finish(id: string, fence: number): boolean {
    const entry = this.heldBy(id, fence);
    if (!entry) return this.done.get(id)?.fence === fence;
    const { event, fingerprint, providerReference } = entry;
    this.unfinished.delete(id);
    const doneAt = this.now();
    this.done.set(id, { event, fingerprint, providerReference, state: 'done', leaseUntil: 0, fence, doneAt });
    this.wake(id);
    return true;
  }

  private fail(id: string, fence: number): void {
    const entry = this.heldBy(id, fence);
    if (!entry) return;
    entry.state = 'open';
    this.wake(id);
  }

  private withdraw(id: string, fence: number): void {
    if (!this.heldBy(id, fence)) return;
    this.unfinished.delete(id);
    this.wake(id);
  }

  /** The entry, while a claim with this fence runs. */
  private heldBy(id: string, fence: number): UnfinishedEntry | undefined {
    const entry = this.unfinished.get(id);
    return entry?.fence === fence && entry.state === 'running' ? entry : undefined;
  }

  private wake(id: string): void {
    for (const wake of this.waiters.get(id) ?? []) wake();
    this.waiters.delete(id);
  }

  /** Forgets the oldest finished entry where there are too many. */
  private makeRoom(): void {
    if (this.unfinished.size + this.done.size < this.maxEntries) return;
    const oldest = this.nextToForget();
    if (oldest === undefined) throw storageFull('deliveries whose handlers have not finished');
    this.done.delete(oldest);
  }

  private nextToForget(): string | undefined {
    const next = this.oldest.next();
    if (!next.done) return next.value;
    this.oldest = this.done.keys();
    return this.oldest.next().value;
  }
}

function keyText(key: InboxKey): string {
  return `${scopeText(key)}${key.kind} ${key.reference}`;
}
