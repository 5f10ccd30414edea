import { type InboxScope } from '../../common/vocabulary.js';
import {
  type BatchChunk,
  type BatchEvent,
  type BatchKey,
  type BatchLine,
  type BatchRecord,
  type BatchStore,
  type LineChange,
  type LineCount,
  type LineRecipient,
  type LineState,
  type NewBatchLine,
  type SameRecipient,
  type SealedLine,
  type StoredBatch,
  type StoredBatchEvent,
} from '../batch-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type BatchStatements } from './batch-statements.js';
import { deleteInBatches } from './delete-in-batches.js';
import { type RunScript, type SqlRow, type SqlScript } from './sql-database.js';
import { fromSqlText } from './sql-text.js';

/** Each further try means that another process removed the batch in between. */
const TRIES = 5;

/** How many batches a purge looks for at once. */
const PURGED_TOGETHER = 100;

interface Page {
  readonly after: number;
  readonly limit: number;
}

/** Batches in an SQL database. Each call is one operation. */
export class SqlBatches implements BatchStore {
  constructor(
    private readonly run: RunScript,
    private readonly statements: BatchStatements,
  ) {}

  async create(
    record: BatchRecord,
    event: BatchEvent,
  ): Promise<{ readonly created: boolean; readonly stored: StoredBatch }> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const created = await this.batch(this.statements.create(record, event));
      if (created) return { created: true, stored: created };
      const existing = await this.get(record);
      if (existing) return { created: false, stored: existing };
    }
    throw new PaymentsStorageError(
      'The batch could not be written: other processes kept writing and removing it. Make the same call again.',
    );
  }

  get(key: BatchKey): Promise<StoredBatch | undefined> {
    return this.batch(this.statements.get(key));
  }

  async list(
    scope: InboxScope,
    { after = '', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredBatch[]> {
    return (await this.rows(this.statements.list(scope, after, limit))).map(storedBatch);
  }

  async unfinished({
    after = '',
    limit,
  }: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly StoredBatch[]> {
    return (await this.rows(this.statements.unfinished(after, limit))).map(storedBatch);
  }

  async withDigest(key: BatchKey, digest: string, limit: number): Promise<readonly string[]> {
    return (await this.rows(this.statements.withDigest(key, digest, limit))).map(({ name }) => name ?? '');
  }

  replace(version: number, record: BatchRecord, event: BatchEvent): Promise<StoredBatch | undefined> {
    return this.batch(this.statements.replace(version, record, event));
  }

  async remove(key: BatchKey, version: number): Promise<boolean> {
    return (await this.rows(this.statements.remove(key, version))).length === 1;
  }

  async purge(olderThanMs: number): Promise<number> {
    let purged = 0;
    for (let isMore = true; isMore;) {
      const page = (await this.rows(this.statements.purgeable(olderThanMs, PURGED_TOGETHER))).map(
        storedBatch,
      );
      for (const { record, version } of page) {
        if (!(await this.remove(record, version))) continue;
        purged += 1;
        await this.removeLoad(record.load);
      }
      isMore = page.length === PURGED_TOGETHER;
    }
    for (let isMore = true; isMore;) {
      const orphans = await this.rows(this.statements.orphans(PURGED_TOGETHER));
      for (const row of orphans) await this.removeLoad(row['batch_load'] ?? '');
      isMore = orphans.length === PURGED_TOGETHER;
    }
    return purged;
  }

  async kept(
    olderThanMs: number,
    limit: number,
  ): Promise<{ readonly batches: number; readonly oldest: readonly BatchKey[] }> {
    const rows = await this.rows(this.statements.kept(olderThanMs, limit));
    return { batches: Number(rows[0]?.['kept'] ?? 0), oldest: rows.map(batchKey) };
  }

  async append(key: BatchKey, event: BatchEvent): Promise<boolean> {
    return ((await this.run(this.statements.append(key, event))).rowCount ?? 0) > 0;
  }

  async events(key: BatchKey, { after, limit }: Page): Promise<readonly StoredBatchEvent[]> {
    return (await this.rows(this.statements.events(key, after, limit))).map(storedEvent);
  }

  async addChunk(
    load: string,
    chunk: BatchChunk,
    lines: readonly NewBatchLine[],
  ): Promise<readonly string[]> {
    if (lines.length === 0) return [];
    const add = async (): Promise<readonly string[]> =>
      (await this.rows(this.statements.addChunk(load, chunk, lines))).map(lineKey);
    try {
      return await add();
    } catch {
      // Only the answer was lost, or somebody else added one of the keys at the same moment.
      return (await this.hasChunk(load, chunk)) ? [] : add();
    }
  }

  private async hasChunk(load: string, { chunk, digest }: BatchChunk): Promise<boolean> {
    const [there] = await this.chunks(load, { after: chunk - 1, limit: 1 });
    return there?.chunk === chunk && there.digest === digest;
  }

  async removeLoad(load: string): Promise<void> {
    await deleteInBatches(this.run, this.statements.removeLines(load));
    await this.run(this.statements.removeLoad(load));
  }

  async chunks(load: string, { after, limit }: Page): Promise<readonly BatchChunk[]> {
    const rows = await this.rows(this.statements.chunks(load, after, limit));
    return rows.map(({ chunk, digest }) => ({ chunk: Number(chunk), digest: digest ?? '' }));
  }

  async chunksIn(
    load: string,
    states: readonly LineState[],
    { after, limit }: Page,
  ): Promise<readonly number[]> {
    const rows = await this.rows(this.statements.chunksIn(load, states, after, limit));
    return rows.map(({ chunk }) => Number(chunk));
  }

  async linesOf(load: string, chunk: number): Promise<readonly BatchLine[]> {
    return (await this.rows(this.statements.linesOf(load, chunk))).map(storedLine);
  }

  async lines(
    load: string,
    { after, limit, states }: Page & { readonly states?: readonly LineState[] },
  ): Promise<readonly BatchLine[]> {
    if (states?.length === 0) return [];
    return (await this.rows(this.statements.lines(load, after, limit, states))).map(storedLine);
  }

  async line(load: string, key: string): Promise<BatchLine | undefined> {
    const [row] = await this.rows(this.statements.line(load, key));
    return row && storedLine(row);
  }

  async change(load: string, changes: readonly LineChange[]): Promise<readonly number[]> {
    if (changes.length === 0) return [];
    const lines = [...new Map(changes.map((change) => [change.number, change])).values()];
    return (await this.rows(this.statements.change(load, lines))).map(({ number }) => Number(number));
  }

  async replaceLine(load: string, before: SealedLine, line: SealedLine): Promise<boolean> {
    return (await this.run(this.statements.replaceLine(load, before, line))).rowCount === 1;
  }

  async counts(load: string): Promise<readonly LineCount[]> {
    return (await this.rows(this.statements.counts(load))).map(({ state, line_count: lines, cents }) => ({
      state: state as LineState,
      lines: Number(lines),
      cents: BigInt(cents ?? 0),
    }));
  }

  async sameRecipients(
    load: string,
    lines: readonly LineRecipient[],
    withinMs: number,
    limit: number,
  ): Promise<readonly SameRecipient[]> {
    if (lines.length === 0) return [];
    const rows = await this.rows(this.statements.sameRecipients(load, lines, withinMs, limit));
    return rows.map((row) => ({
      number: Number(row['number']),
      batch: row['name'] ?? '',
      key: lineKey(row),
      state: row['state'] as LineState,
    }));
  }

  private async batch(script: SqlScript): Promise<StoredBatch | undefined> {
    const [row] = await this.rows(script);
    return row && storedBatch(row);
  }

  private async rows(script: SqlScript): Promise<readonly SqlRow[]> {
    return (await this.run(script)).rows;
  }
}

/** Not `key`, which is a word of MySQL. */
function lineKey(row: SqlRow): string {
  return row['line_key'] ?? '';
}

function batchKey(row: SqlRow): BatchKey {
  return {
    account: row['account'] ?? '',
    environment: row['environment'] as BatchKey['environment'],
    batch: row['name'] ?? '',
  };
}

function storedBatch(row: SqlRow): StoredBatch {
  const digest = row['digest'] ?? undefined;
  return {
    record: {
      ...batchKey(row),
      state: row['state'] as BatchRecord['state'],
      load: row['batch_load'] ?? '',
      ...(digest !== undefined && { digest }),
      details: fromSqlText(row['details'] ?? ''),
    },
    version: Number(row['version_text']),
    createdAt: Number(row['created_ms']),
    updatedAt: Number(row['updated_ms']),
    now: Number(row['now_ms']),
  };
}

function storedEvent(row: SqlRow): StoredBatchEvent {
  return {
    number: Number(row['number']),
    at: Number(row['at_ms']),
    action: row['action'] ?? '',
    by: fromSqlText(row['actor'] ?? ''),
    details: fromSqlText(row['details'] ?? ''),
  };
}

function storedLine(row: SqlRow): BatchLine {
  return {
    number: Number(row['number']),
    key: lineKey(row),
    state: row['state'] as LineState,
    cents: Number(row['cents']),
    recipient: row['recipient'] ?? '',
    content: fromSqlText(row['content'] ?? ''),
    result: fromSqlText(row['result'] ?? ''),
    updatedAt: Number(row['updated_ms']),
  };
}
