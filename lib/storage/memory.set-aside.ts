import { type InboxConflict, type InboxScope, type SetAsideDelivery } from '../common/storage-port.js';
import { placeAfter } from './conflict-cursor.js';
import { scopeText } from './scope-text.js';
import { storageFull } from './storage-full.js';

interface MemoryConflict {
  readonly place: number;
  readonly scope: string;
  readonly conflict: InboxConflict;
}

/** What was set aside in one process. */
export class MemorySetAside {
  /** In the order in which they were set aside. */
  private readonly entries = new Map<string, MemoryConflict>();
  private lastPlace = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number,
  ) {}

  add(delivery: SetAsideDelivery): void {
    const key = keyText(delivery);
    const stored = this.entries.get(key);
    if (!stored && this.entries.size >= this.maxEntries) throw storageFull('deliveries that were set aside');
    const place = stored?.place ?? ++this.lastPlace;
    const conflict = {
      ...delivery,
      id: idOf(place, key),
      seen: (stored?.conflict.seen ?? 0) + 1,
      firstSeenAt: stored?.conflict.firstSeenAt ?? this.now(),
    };
    this.entries.set(key, { place, scope: scopeText(delivery), conflict });
  }

  page(scope: InboxScope, after: string | undefined, limit: number): readonly InboxConflict[] {
    const wanted = scopeText(scope);
    const lastPlace = Number(placeAfter(after));
    const page: InboxConflict[] = [];
    for (const { place, scope: found, conflict } of this.entries.values()) {
      if (place <= lastPlace || found !== wanted) continue;
      page.push(conflict);
      if (page.length === limit) break;
    }
    return page;
  }

  get(scope: InboxScope, id: string): InboxConflict | undefined {
    const stored = this.entries.get(keyIn(id));
    return stored?.conflict.id === id && stored.scope === scopeText(scope) ? stored.conflict : undefined;
  }

  remove(scope: InboxScope, id: string): void {
    if (this.get(scope, id)) this.entries.delete(keyIn(id));
  }
}

/** What it stands for is in it: after a restart the same place is another delivery's. */
function idOf(place: number, key: string): string {
  return `${place}.${Buffer.from(key).toString('base64url')}`;
}

function keyText({ account, environment, kind, fingerprint }: SetAsideDelivery): string {
  return JSON.stringify([account, environment, kind, fingerprint]);
}

function keyIn(id: string): string {
  return Buffer.from(id.slice(id.indexOf('.') + 1), 'base64url').toString();
}
