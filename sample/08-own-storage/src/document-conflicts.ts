import {
  type AccountPage,
  type AccountPageStart,
  type ConflictStore,
  type InboxConflict,
  PaymentsValidationError,
  type SetAsideDelivery,
} from 'nestjs-payments';
import { accountsIn, documentId, type Documents, newVersion, NONE, type Versioned } from './documents.js';

type Scope = Pick<SetAsideDelivery, 'account' | 'environment'>;
type Conflict = InboxConflict & Versioned;

/** The length of an id: numbers of one length are in order as texts too. */
const DIGITS = 15;

export class DocumentConflicts implements ConflictStore {
  constructor(
    private readonly documents: Documents,
    private readonly now: () => number,
  ) {}

  async setAside(delivery: SetAsideDelivery): Promise<void> {
    const { kind, fingerprint } = delivery;
    const id = `${scopeId(delivery)}${documentId(kind, fingerprint)}`;
    for (;;) {
      const entry = await this.documents.get<Conflict>(id);
      const next: Conflict = {
        ...delivery,
        id: entry?.id ?? (await this.nextId(delivery)),
        seen: (entry?.seen ?? 0) + 1,
        firstSeenAt: entry?.firstSeenAt ?? this.now(),
        version: newVersion(),
      };
      if (await this.documents.write(id, entry?.version ?? NONE, next)) return;
    }
  }

  async list(
    scope: Scope,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]> {
    if (after !== undefined && (after.length !== DIGITS || /\D/.test(after))) {
      throw new PaymentsValidationError({ after: ['after must be the last id of the page before'] });
    }
    const all = (await this.all(scope)).map(([, entry]) => entry);
    return all
      .filter(({ id }) => after === undefined || id > after)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit)
      .map(withoutVersion);
  }

  async get(scope: Scope, id: string): Promise<InboxConflict | undefined> {
    const found = await this.find(scope, id);
    return found && withoutVersion(found[1]);
  }

  async replacePayload({ seen, ...entry }: InboxConflict, payload: string): Promise<boolean> {
    const [id, found] = (await this.find(entry, entry.id)) ?? [];
    if (id === undefined || found?.seen !== seen) return false;
    const next: Conflict = { ...found, payload, version: newVersion() };
    return this.documents.write(id, found.version, next);
  }

  async remove(scope: Scope, id: string): Promise<void> {
    for (;;) {
      const found = await this.find(scope, id);
      if (!found || (await this.documents.remove(found[0], found[1].version))) return;
    }
  }

  async purge(scope: Scope, kind: SetAsideDelivery['kind'], olderThanMs: number): Promise<number> {
    const latest = this.now() - olderThanMs;
    let purged = 0;
    for (const [id, entry] of await this.all(scope)) {
      const isOld = entry.kind === kind && entry.firstSeenAt < latest;
      if (isOld && (await this.documents.remove(id, entry.version))) purged += 1;
    }
    return purged;
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return accountsIn(this.documents, 'conflict', page);
  }

  private all(scope: Scope): Promise<readonly (readonly [string, Conflict])[]> {
    return this.documents.all(scopeId(scope));
  }

  private async find(scope: Scope, id: string): Promise<readonly [string, Conflict] | undefined> {
    return (await this.all(scope)).find(([, entry]) => entry.id === id);
  }

  /** A number that no entry of the scope had before. */
  private async nextId(scope: Scope): Promise<string> {
    const id = documentId('last-conflict', scope.account, scope.environment);
    for (;;) {
      const last = await this.documents.get<Versioned & { readonly number: number }>(id);
      const next = { version: newVersion(), number: (last?.number ?? 0) + 1 };
      if (await this.documents.write(id, last?.version ?? NONE, next)) {
        return String(next.number).padStart(DIGITS, '0');
      }
    }
  }
}

function scopeId({ account, environment }: Scope): string {
  return documentId('conflict', account, environment);
}

function withoutVersion({ version: _version, ...entry }: Conflict): InboxConflict {
  return entry;
}
