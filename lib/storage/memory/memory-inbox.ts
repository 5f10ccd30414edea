import { type InboxScope } from '../../common/vocabulary.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { decideClaim, type InboxEntry } from '../inbox-decision.js';
import { accountPage } from './memory-accounts.js';

interface MemoryEntry extends InboxEntry {
  providerReference?: string | undefined;
  readonly fence: number;
}

/** An outcome whose handlers run, or must run again. */
interface UnfinishedEntry extends MemoryEntry {
  state: 'running' | 'open';
  readonly attempt: number;
  finished: readonly string[];
}

interface DoneEntry extends MemoryEntry {
  readonly state: 'done';
  readonly doneAt: number;
}

/** What a claim takes over from the one before. */
type EarlierClaim = Pick<UnfinishedEntry, 'attempt' | 'finished' | 'providerReference'>;

const NO_CLAIM: EarlierClaim = { attempt: 0, finished: [] };

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

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return inOneTurn(() => accountPage([...this.unfinished.keys(), ...this.done.keys()].map(scopeIn), page));
  }

  private claimNow(delivery: InboxDelivery, leaseMs: number): ClaimResult {
    const id = keyText(delivery.key);
    const unfinished = this.unfinished.get(id);
    const entry = unfinished ?? this.done.get(id);
    const now = this.now();
    if (!entry) {
      if (delivery.mustExist) return { result: 'missing' };
      this.makeRoom();
      return this.newClaim(id, delivery, now + leaseMs);
    }
    switch (decideClaim(entry, delivery, now)) {
      case 'busy':
        return { result: 'busy', leaseLeftMs: entry.leaseUntil - now };
      case 'conflict':
        return { result: 'conflict', existingEvent: entry.event };
      case 'done':
        entry.providerReference ??= delivery.providerReference;
        return { result: 'done' };
      case 'run':
        return this.newClaim(id, delivery, now + leaseMs, unfinished);
      case 'run-instead':
        return this.newClaim(id, delivery, now + leaseMs);
    }
  }

  private newClaim(id: string, delivery: InboxDelivery, leaseUntil: number, earlier = NO_CLAIM): ClaimResult {
    const { event, fingerprint, providerReference = earlier.providerReference } = delivery;
    const entry: UnfinishedEntry = {
      event,
      fingerprint,
      providerReference,
      state: 'running',
      leaseUntil,
      fence: ++this.lastFence,
      attempt: earlier.attempt + 1,
      finished: [...earlier.finished],
    };
    this.done.delete(id);
    this.unfinished.set(id, entry);
    return { result: 'claimed', claim: this.claimOf(id, entry) };
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

  /** Forgets the oldest finished entry if there are too many. */
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

/** Runs synchronous work; what it throws rejects. */
export function inOneTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

/** Equal for equal scopes, and never the beginning of another scope's. */
export function scopeText({ account, environment }: InboxScope): string {
  return `${environment} ${account.length} ${account} `;
}

/** The scope of a text that begins with `scopeText`. */
function scopeIn(text: string): InboxScope {
  const [environment = '', length = ''] = text.split(' ', 2);
  const start = environment.length + length.length + 2;
  const account = text.slice(start, start + Number(length));
  return { account, environment: environment as InboxScope['environment'] };
}

/** @param what What the memory storage holds too much of. */
export function storageFull(what: string): PaymentsStorageError {
  return new PaymentsStorageError(
    `The memory storage is full of ${what}: raise maxEntries of memoryStorage(), or use a shared storage.`,
  );
}
