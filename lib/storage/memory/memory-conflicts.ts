import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { type InboxScope, type SetAsideKind } from '../../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { positionAfter } from '../conflict-cursor.js';
import { accountPage } from './memory-accounts.js';
import { inOneTurn, scopeText, storageFull } from './memory-inbox.js';

interface MemoryConflict {
  readonly position: number;
  readonly scope: string;
  readonly conflict: InboxConflict;
}

/** The conflicts of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryConflicts implements ConflictStore {
  /** In the order in which they were set aside. */
  private readonly entries = new Map<string, MemoryConflict>();
  /** Each kind has its own bound: names that nobody knows must not keep a conflict out. */
  private readonly counts = new Map<SetAsideKind, number>();
  private lastPosition = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number = () => Date.now(),
  ) {}

  setAside(delivery: SetAsideDelivery): Promise<void> {
    return inOneTurn(() => {
      this.add(delivery);
    });
  }

  list(
    scope: InboxScope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    return inOneTurn(() => {
      const wanted = scopeText(scope);
      const lastPosition = Number(positionAfter(after));
      const page: InboxConflict[] = [];
      for (const { position, scope: found, conflict } of this.entries.values()) {
        if (position <= lastPosition || found !== wanted) continue;
        page.push(conflict);
        if (page.length === limit) break;
      }
      return page;
    });
  }

  get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    return inOneTurn(() => this.find(scope, id));
  }

  replacePayload(entry: InboxConflict, payload: string): Promise<boolean> {
    return inOneTurn(() => {
      const { id, seen } = entry;
      const stored = this.entries.get(keyIn(id));
      if (stored?.conflict !== this.find(entry, id) || stored?.conflict.seen !== seen) return false;
      this.entries.set(keyIn(id), { ...stored, conflict: { ...stored.conflict, payload } });
      return true;
    });
  }

  remove(scope: InboxScope, id: string): Promise<void> {
    return inOneTurn(() => {
      const stored = this.find(scope, id);
      if (stored) this.delete(keyIn(id), stored.kind);
    });
  }

  purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number> {
    return inOneTurn(() => {
      const wanted = scopeText(scope);
      const latest = this.now() - olderThanMs;
      const old = [...this.entries].filter(
        ([, { scope: found, conflict }]) =>
          found === wanted && conflict.kind === kind && conflict.firstSeenAt < latest,
      );
      for (const [key] of old) this.delete(key, kind);
      return old.length;
    });
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return inOneTurn(() =>
      accountPage(
        [...this.entries.values()].map(({ conflict }) => conflict),
        page,
      ),
    );
  }

  /** The payloads hold names and phone numbers, and must not land in a log with whatever holds the storage. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MemoryConflicts { ${this.entries.size} events }`;
  }

  private add(delivery: SetAsideDelivery): void {
    const key = keyText(delivery);
    const stored = this.entries.get(key);
    if (!stored && this.count(delivery.kind) >= this.maxEntries) {
      throw storageFull(`deliveries that were set aside (${delivery.kind})`);
    }
    const position = stored?.position ?? ++this.lastPosition;
    const conflict = {
      ...delivery,
      id: idOf(position, key),
      seen: (stored?.conflict.seen ?? 0) + 1,
      firstSeenAt: stored?.conflict.firstSeenAt ?? this.now(),
    };
    if (!stored) this.counts.set(delivery.kind, this.count(delivery.kind) + 1);
    this.entries.set(key, { position, scope: scopeText(delivery), conflict });
  }

  private find(scope: InboxScope, id: string): InboxConflict | undefined {
    const stored = this.entries.get(keyIn(id));
    return stored?.conflict.id === id && stored.scope === scopeText(scope) ? stored.conflict : undefined;
  }

  private delete(key: string, kind: SetAsideKind): void {
    this.entries.delete(key);
    this.counts.set(kind, this.count(kind) - 1);
  }

  private count(kind: SetAsideKind): number {
    return this.counts.get(kind) ?? 0;
  }
}

/** An id holds the key, because after a restart the same position belongs to another delivery. */
function idOf(position: number, key: string): string {
  return `${position}.${Buffer.from(key).toString('base64url')}`;
}

function keyText({ account, environment, kind, fingerprint }: SetAsideDelivery): string {
  return JSON.stringify([account, environment, kind, fingerprint]);
}

function keyIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf('.') + 1), 'base64url').toString();
}
