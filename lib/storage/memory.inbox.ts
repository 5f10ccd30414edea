import {
  type ClaimResult,
  type InboxClaim,
  type InboxConflict,
  type InboxDelivery,
  type InboxKey,
  type InboxScope,
  type InboxStore,
  type SetAsideDelivery,
} from '../common/storage-port.js';
import { decideClaim, type InboxEntry } from './inbox-decision.js';
import { MemorySetAside } from './memory.set-aside.js';
import { scopeText } from './scope-text.js';
import { storageFull } from './storage-full.js';

interface MemoryEntry extends InboxEntry {
  readonly scope: string;
  readonly fence: number;
  readonly attempt: number;
  readonly finished: readonly string[];
  readonly doneAt: number;
}

/** The inbox of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryInbox implements InboxStore {
  /** In the order of their last change: the first ones are the oldest. */
  private readonly entries = new Map<string, MemoryEntry>();
  private readonly setAsides: MemorySetAside;
  private readonly waiters = new Map<string, Set<() => void>>();
  /**
   * Goes through the entries once. What it has passed and left was not finished then; once it is, it stands at the end again.
   * Beginning anew each time would step over every entry that was forgotten before.
   */
  private oldest = this.entries.entries();
  /** One counter for all entries, so that a forgotten entry's claim never fits the entry that follows it. */
  private lastFence = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number,
  ) {
    this.setAsides = new MemorySetAside(maxEntries, now);
  }

  claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    return inOneTurn(() => this.claimNow(delivery, leaseMs));
  }

  async waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    const id = keyText(key);
    if (this.entries.get(id)?.state !== 'running') return;
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

  setAside(delivery: SetAsideDelivery): Promise<void> {
    return inOneTurn(() => {
      this.setAsides.add(delivery);
    });
  }

  conflicts(
    scope: InboxScope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    return inOneTurn(() => this.setAsides.page(scope, after, limit));
  }

  getConflict(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    return inOneTurn(() => this.setAsides.get(scope, id));
  }

  removeConflict(scope: InboxScope, id: string): Promise<void> {
    return inOneTurn(() => {
      this.setAsides.remove(scope, id);
    });
  }

  purge(scope: InboxScope, olderThanMs: number): Promise<number> {
    return inOneTurn(() => {
      const latest = this.now() - olderThanMs;
      const forgotten = [...this.entries].filter(
        ([, entry]) => entry.state === 'done' && entry.doneAt < latest && entry.scope === scopeText(scope),
      );
      for (const [id] of forgotten) this.entries.delete(id);
      return forgotten.length;
    });
  }

  private claimNow(delivery: InboxDelivery, leaseMs: number): ClaimResult {
    const id = keyText(delivery.key);
    const entry = this.entries.get(id);
    const now = this.now();
    const decision = decideClaim(entry, delivery, now);
    if (decision === 'done') return { result: 'done' };
    if (decision === 'busy') return { result: 'busy', leaseLeftMs: (entry?.leaseUntil ?? now) - now };
    if (decision === 'conflict') return { result: 'conflict', standingEvent: entry?.event ?? '' };
    if (!entry) this.makeRoom();
    const again = decision === 'run' ? entry : undefined;
    const claimed: MemoryEntry = {
      event: delivery.event,
      fingerprint: delivery.fingerprint,
      state: 'running',
      leaseUntil: now + leaseMs,
      scope: scopeText(delivery.key),
      fence: ++this.lastFence,
      attempt: (again?.attempt ?? 0) + 1,
      finished: again?.finished ?? [],
      doneAt: 0,
    };
    this.store(id, claimed);
    return { result: 'claimed', claim: this.claimOf(id, claimed) };
  }

  private claimOf(id: string, { fence, attempt, finished }: MemoryEntry): InboxClaim {
    return {
      attempt,
      finished,
      mark: (handler) => inOneTurn(() => this.mark(id, fence, handler)),
      finish: () => inOneTurn(() => this.finish(id, fence)),
      fail: () => inOneTurn(() => void this.end(id, fence, 'open')),
    };
  }

  private mark(id: string, fence: number, handler: string): boolean {
    const entry = this.heldBy(id, fence);
    if (!entry) return false;
    this.entries.set(id, { ...entry, finished: [...entry.finished, handler] });
    return true;
  }

  private finish(id: string, fence: number): boolean {
    const entry = this.entries.get(id);
    return (entry?.fence === fence && entry.state === 'done') || this.end(id, fence, 'done');
  }

  private end(id: string, fence: number, state: 'done' | 'open'): boolean {
    const entry = this.heldBy(id, fence);
    if (!entry) return false;
    this.store(id, { ...entry, state, doneAt: this.now() });
    for (const wake of this.waiters.get(id) ?? []) wake();
    this.waiters.delete(id);
    return true;
  }

  /** The entry, while a claim with this fence runs. */
  private heldBy(id: string, fence: number): MemoryEntry | undefined {
    const entry = this.entries.get(id);
    return entry?.fence === fence && entry.state === 'running' ? entry : undefined;
  }

  private store(id: string, entry: MemoryEntry): void {
    this.entries.delete(id);
    this.entries.set(id, entry);
  }

  /** Forgets the oldest finished entry. An open or running one is never forgotten: its work is not done. */
  private makeRoom(): void {
    if (this.entries.size < this.maxEntries || this.forgetNextDone()) return;
    this.oldest = this.entries.entries();
    if (!this.forgetNextDone()) throw storageFull('deliveries whose handlers have not finished');
  }

  private forgetNextDone(): boolean {
    for (;;) {
      const next = this.oldest.next();
      if (next.done) return false;
      const [id, { state }] = next.value;
      if (state === 'done') return this.entries.delete(id);
    }
  }
}

function inOneTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function keyText(key: InboxKey): string {
  return JSON.stringify([key.account, key.environment, key.kind, key.reference]);
}
