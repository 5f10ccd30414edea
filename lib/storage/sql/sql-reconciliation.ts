import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ReconciliationEntry,
  type ReconciliationKind,
  type ReconciliationPage,
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../reconciliation-store.js';
import { deleteInBatches } from './delete-in-batches.js';
import { type ReconciliationScope, type ReconciliationStatements } from './reconciliation-statements.js';
import { type RunScript, type SqlRow, type SqlScript } from './sql-database.js';
import { fromSqlText } from './sql-text.js';

/** What reconciliation keeps in an SQL database. Each call is one operation. */
export class SqlReconciliation implements ReconciliationStore {
  constructor(
    private readonly run: RunScript,
    private readonly statements: ReconciliationStatements,
  ) {}

  async add(entries: readonly ReconciliationEntry[]): Promise<void> {
    // In one order, so that two writers of the same entries never wait for each other.
    const ordered = entries.toSorted(byKey);
    if (ordered.length > 0) await this.run(this.statements.add(ordered));
  }

  get(
    scope: InboxScope,
    kind: ReconciliationKind,
    id: string,
  ): Promise<StoredReconciliationEntry | undefined> {
    return this.entry(this.statements.get(ofKind(scope, kind), id));
  }

  replace(version: number, entry: ReconciliationEntry): Promise<StoredReconciliationEntry | undefined> {
    return this.entry(this.statements.replace(version, entry));
  }

  async list(
    scope: InboxScope,
    kind: ReconciliationKind,
    { after = '', states, limit }: ReconciliationPage,
  ): Promise<readonly StoredReconciliationEntry[]> {
    if (states?.length === 0) return [];
    const wanted = states && [...new Set(states)];
    return (await this.rows(this.statements.list(ofKind(scope, kind), after, limit, wanted))).map(
      storedEntry,
    );
  }

  async last(
    scope: InboxScope,
    kind: ReconciliationKind,
    before: string,
    states: readonly string[],
  ): Promise<StoredReconciliationEntry | undefined> {
    if (states.length === 0) return undefined;
    return this.entry(this.statements.last(ofKind(scope, kind), before, [...new Set(states)]));
  }

  async purge(
    scope: InboxScope,
    kind: ReconciliationKind,
    states: readonly string[],
    olderThanMs: number,
  ): Promise<number> {
    let purged = 0;
    for (const state of new Set(states)) {
      purged += await deleteInBatches(
        this.run,
        this.statements.purge(ofKind(scope, kind), state, olderThanMs),
      );
    }
    return purged;
  }

  private async entry(script: SqlScript): Promise<StoredReconciliationEntry | undefined> {
    const [row] = await this.rows(script);
    return row && storedEntry(row);
  }

  private async rows(script: SqlScript): Promise<readonly SqlRow[]> {
    return (await this.run(script)).rows;
  }
}

function ofKind({ account, environment }: InboxScope, kind: ReconciliationKind): ReconciliationScope {
  return { account, environment, kind };
}

const KEY = ['account', 'environment', 'kind', 'id'] as const;

/** Of two entries with one key, the first one stays the first. */
function byKey(one: ReconciliationEntry, other: ReconciliationEntry): number {
  const differing = KEY.find((column) => one[column] !== other[column]);
  if (differing === undefined) return 0;
  return one[differing] < other[differing] ? -1 : 1;
}

function storedEntry(row: SqlRow): StoredReconciliationEntry {
  return {
    entry: {
      account: row['account'] ?? '',
      environment: row['environment'] as ReconciliationEntry['environment'],
      kind: row['kind'] as ReconciliationKind,
      id: row['id'] ?? '',
      state: row['state'] ?? '',
      details: fromSqlText(row['details'] ?? ''),
    },
    version: Number(row['version_text']),
    createdAt: Number(row['created_ms']),
    updatedAt: Number(row['updated_ms']),
    now: Number(row['now_ms']),
  };
}
