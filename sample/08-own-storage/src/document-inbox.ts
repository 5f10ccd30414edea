import { setTimeout as delay } from 'node:timers/promises';
import {
  type AccountPage,
  type AccountPageStart,
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from 'nestjs-payments';
import { accountsIn, documentId, type Documents, newVersion, NONE, type Versioned } from './documents.js';

const POLL_MS = 20;

interface Entry extends Versioned {
  readonly event: string;
  readonly fingerprint: string;
  readonly providerReference?: string | undefined;
  /** `open`: the handlers failed, the next delivery runs them again. */
  readonly state: 'running' | 'open' | 'done';
  /** Another one for each claim: who holds an older one changes nothing any more. */
  readonly fence: number;
  readonly leaseUntil: number;
  readonly attempt: number;
  readonly finished: readonly string[];
  readonly changedAt: number;
}

/** What becomes of an entry; undefined: it stays as it is. */
type Change = Partial<Entry> | 'remove' | undefined;

export class DocumentInbox implements InboxStore {
  constructor(
    private readonly documents: Documents,
    private readonly now: () => number,
  ) {}

  /** Reads, decides and writes; if somebody wrote in between, again. */
  async claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> {
    const id = idOf(delivery.key);
    for (;;) {
      const entry = await this.documents.get<Entry>(id);
      const now = this.now();
      if (!entry && delivery.mustExist) return { result: 'missing' };
      const decision = entry ? decide(entry, delivery, now) : 'run-instead';
      if (entry && decision === 'busy') return { result: 'busy', leaseLeftMs: entry.leaseUntil - now };
      if (entry && decision === 'conflict') return { result: 'conflict', existingEvent: entry.event };
      if (entry && decision === 'done') {
        const { providerReference = delivery.providerReference } = entry;
        if (providerReference === entry.providerReference) return { result: 'done' };
        const next: Entry = { ...entry, version: newVersion(), providerReference };
        if (await this.documents.write(id, entry.version, next)) return { result: 'done' };
        continue;
      }
      const earlier = decision === 'run' ? entry : undefined;
      const next = claimedEntry(delivery, earlier, { now, leaseMs });
      if (await this.documents.write(id, entry?.version ?? NONE, next)) {
        return { result: 'claimed', claim: this.claimOf(id, next) };
      }
    }
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return accountsIn(this.documents, 'inbox', page);
  }

  async waitForRelease(key: InboxKey, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const leftMs = deadline - performance.now();
      const entry = await this.documents.get<Entry>(idOf(key));
      if (entry?.state !== 'running' || leftMs <= 0) return;
      await delay(Math.min(POLL_MS, leftMs));
    }
  }

  async purge(scope: Pick<InboxKey, 'account' | 'environment'>, olderThanMs: number): Promise<number> {
    const latest = this.now() - olderThanMs;
    let purged = 0;
    const prefix = documentId('inbox', scope.account, scope.environment);
    for (const [id, { state, changedAt, version }] of await this.documents.all<Entry>(prefix)) {
      if (state === 'done' && changedAt < latest && (await this.documents.remove(id, version))) purged += 1;
    }
    return purged;
  }

  private claimOf(id: string, { attempt, finished, fence }: Entry): InboxClaim {
    const change = (decided: (entry: Entry) => Change): Promise<boolean> => this.change(id, fence, decided);
    return {
      attempt,
      finished,
      mark: (handler) => change((entry) => ({ finished: [...entry.finished, handler] })),
      finish: async () => {
        if (await change(() => ({ state: 'done', changedAt: this.now() }))) return true;
        const entry = await this.documents.get<Entry>(id);
        return entry?.state === 'done' && entry.fence === fence;
      },
      fail: async () => {
        await change(() => ({ state: 'open' }));
      },
      withdraw: async () => {
        await change(() => 'remove');
      },
    };
  }

  /** Changes an entry while the claim with this fence runs. False: it does not any more. */
  private async change(id: string, fence: number, decided: (entry: Entry) => Change): Promise<boolean> {
    for (;;) {
      const entry = await this.documents.get<Entry>(id);
      if (entry?.fence !== fence || entry.state !== 'running') return false;
      const what = decided(entry);
      const isDone =
        what === 'remove'
          ? await this.documents.remove(id, entry.version)
          : await this.documents.write(id, entry.version, { ...entry, ...what, version: newVersion() });
      if (isDone) return true;
    }
  }
}

function idOf({ account, environment, kind, reference }: InboxKey): string {
  return documentId('inbox', account, environment, kind, reference);
}

function claimedEntry(
  { event, fingerprint, providerReference }: InboxDelivery,
  earlier: Entry | undefined,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Entry {
  return {
    version: newVersion(),
    event,
    fingerprint,
    providerReference: providerReference ?? earlier?.providerReference,
    state: 'running',
    fence: newVersion(),
    leaseUntil: now + leaseMs,
    attempt: (earlier?.attempt ?? 0) + 1,
    finished: earlier?.finished ?? [],
    changedAt: now,
  };
}

/** While the handlers of one outcome run, nothing is decided about another one. */
function decide(
  entry: Entry,
  { fingerprint, providerReference, replaces }: InboxDelivery,
  now: number,
): 'run' | 'run-instead' | 'done' | 'busy' | 'conflict' {
  if (entry.state === 'running' && entry.leaseUntil > now) return 'busy';
  const { providerReference: existing = providerReference } = entry;
  const isSame =
    entry.fingerprint === fingerprint && (providerReference === undefined || existing === providerReference);
  if (isSame) return entry.state === 'done' ? 'done' : 'run';
  return replaces === 'any' || replaces.includes(entry.fingerprint) ? 'run-instead' : 'conflict';
}
