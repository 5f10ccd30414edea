import { type InboxScope } from '../../common/vocabulary.js';
import {
  type BatchChunk,
  type BatchEvent,
  type BatchKey,
  type BatchRecord,
  type LineChange,
  type LineRecipient,
  type LineState,
  type NewBatchLine,
  type SealedLine,
} from '../batch-store.js';
import { type SqlScript } from './sql-database.js';

/** The operations of batches, in the words of one dialect. Each is all or nothing. */
export interface BatchStatements {
  /** No row: there is one already. */
  create(record: BatchRecord, event: BatchEvent): SqlScript;
  get(key: BatchKey): SqlScript;
  list(scope: InboxScope, after: string, limit: number): SqlScript;
  unfinished(after: string, limit: number): SqlScript;
  withDigest(key: BatchKey, digest: string, limit: number): SqlScript;
  /** No row: it has another version. */
  replace(version: number, record: BatchRecord, event: BatchEvent): SqlScript;
  /** No row: it has another version. */
  remove(key: BatchKey, version: number): SqlScript;
  /** The oldest batches that a purge removes. */
  purgeable(olderThanMs: number, limit: number): SqlScript;
  /** The oldest batches that a purge leaves because of their lines; each row says how many there are (`kept`). */
  kept(olderThanMs: number, limit: number): SqlScript;
  /** Rows: loads without a batch. */
  orphans(limit: number): SqlScript;
  append(key: BatchKey, event: BatchEvent): SqlScript;
  events(key: BatchKey, after: number, limit: number): SqlScript;
  /** Rows: the keys that exist; then nothing was added. */
  addChunk(load: string, chunk: BatchChunk, lines: readonly NewBatchLine[]): SqlScript;
  /** One batch of lines. */
  removeLines(load: string): SqlScript;
  /** All but the lines. Nothing if there is a line: a purge finds a load by its counts. */
  removeLoad(load: string): SqlScript;
  chunks(load: string, after: number, limit: number): SqlScript;
  chunksIn(load: string, states: readonly LineState[], after: number, limit: number): SqlScript;
  linesOf(load: string, chunk: number): SqlScript;
  lines(load: string, after: number, limit: number, states: readonly LineState[] | undefined): SqlScript;
  line(load: string, key: string): SqlScript;
  /** Rows: the numbers of the lines that were changed. */
  change(load: string, changes: readonly LineChange[]): SqlScript;
  /** Counts the lines that it replaced. */
  replaceLine(load: string, before: SealedLine, line: SealedLine): SqlScript;
  counts(load: string): SqlScript;
  sameRecipients(load: string, lines: readonly LineRecipient[], withinMs: number, limit: number): SqlScript;
}
