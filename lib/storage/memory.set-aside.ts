import { type InboxConflict, type InboxScope, type SetAsideDelivery } from '../common/storage-port.js';
import { placeAfter, placeOf } from './conflict-cursor.js';
import { scopeText } from './scope-text.js';
import { storageFull } from './storage-full.js';

/** What was set aside in one process. */
export class MemorySetAside {
  /** In the order in which they were set aside. */
  private readonly entries = new Map<string, InboxConflict>();
  private lastPlace = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number,
  ) {}

  add(delivery: SetAsideDelivery): void {
    const key = keyText(delivery);
    const stored = this.entries.get(key);
    if (!stored && this.entries.size >= this.maxEntries) throw storageFull('deliveries that were set aside');
    this.entries.set(key, {
      ...delivery,
      id: stored?.id ?? this.newId(key),
      seen: (stored?.seen ?? 0) + 1,
      firstSeenAt: stored?.firstSeenAt ?? this.now(),
    });
  }

  page(scope: InboxScope, after: string | undefined, limit: number): readonly InboxConflict[] {
    const place = Number(placeAfter(after));
    return [...this.entries.values()]
      .filter((stored) => Number(placeOf(stored.id)) > place && scopeText(stored) === scopeText(scope))
      .slice(0, limit);
  }

  get(scope: InboxScope, id: string): InboxConflict | undefined {
    const stored = this.entries.get(keyIn(id));
    return stored?.id === id && scopeText(stored) === scopeText(scope) ? stored : undefined;
  }

  remove(scope: InboxScope, id: string): void {
    if (this.get(scope, id)) this.entries.delete(keyIn(id));
  }

  /** What it stands for is in it: after a restart the same place is another delivery's. */
  private newId(key: string): string {
    return `${++this.lastPlace}.${Buffer.from(key).toString('base64url')}`;
  }
}

function keyText({ account, environment, kind, fingerprint }: SetAsideDelivery): string {
  return JSON.stringify([account, environment, kind, fingerprint]);
}

function keyIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf('.') + 1), 'base64url').toString();
}
