import { type InboxScope } from '../common/vocabulary.js';

/**
 * The state of a line of a batch.
 *
 * - `waiting`: loaded, not checked yet.
 * - `checked`: may be sent.
 * - `blocked`: the check found a problem. Somebody has to accept it, if the gateway shows a holder, or to check it again.
 * - `sending`: a process has begun to send it. After a crash it is sent again under the same reference, and the journal
 *   decides.
 * - `accepted`: the gateway took it. The specification ends here for payouts.
 * - `unknown`: the money may have moved.
 * - `refused`: the gateway definitely did not take it.
 * - `paid`, `failed`: it was settled.
 *
 * @publicApi
 */
export type LineState =
  'waiting' | 'checked' | 'blocked' | 'sending' | 'accepted' | 'unknown' | 'refused' | 'paid' | 'failed';

/** In the order in which a line passes them. */
export const LINE_STATES: readonly LineState[] = [
  'waiting',
  'checked',
  'blocked',
  'sending',
  'accepted',
  'unknown',
  'refused',
  'paid',
  'failed',
];

/** The states of lines whose money went out, or may have. */
export const MAY_BE_OUT: readonly LineState[] = ['sending', 'accepted', 'unknown', 'paid'];

/**
 * The state of a batch.
 *
 * @publicApi
 */
export type BatchState =
  'loading' | 'loaded' | 'checking' | 'checked' | 'approved' | 'running' | 'paused' | 'ended' | 'cancelled';

/** What identifies a batch. */
export interface BatchKey extends InboxScope {
  readonly batch: string;
}

/** A batch without its lines. */
export interface BatchRecord extends BatchKey {
  readonly state: BatchState;
  /**
   * Identifies the lines: 32 hexadecimal digits. Each load has its own, so that a process that continues loading after another
   * one took over adds nothing to the lines of that one.
   */
  readonly load: string;
  /** SHA-256 (hex) of all lines; undefined while they are loaded. */
  readonly digest?: string | undefined;
  /** A JSON object: what only `nestjs-payments/batches` reads. Holds no personal data of recipients. */
  readonly details: string;
}

/** A batch as the storage has it. Times are milliseconds since 1970 by the storage's clock. */
export interface StoredBatch {
  readonly record: BatchRecord;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The storage's clock when it was read. */
  readonly now: number;
}

/** An entry of the audit trail, which nothing changes or removes but `remove` of the whole batch. */
export interface BatchEvent {
  /** For example `approved`. */
  readonly action: string;
  /** Who did it: the application's own id of a person, or of the process. */
  readonly by: string;
  /** A JSON object. */
  readonly details: string;
}

/** An entry of the audit trail as the storage has it. */
export interface StoredBatchEvent extends BatchEvent {
  /** 1 for the first one of the batch; each has the next number. */
  readonly number: number;
  readonly at: number;
}

/** A line that is loaded. */
export interface NewBatchLine {
  /** 1 for the first line; without gaps. A later chunk has the higher numbers. */
  readonly number: number;
  /** Unique within the batch, compared byte by byte: 1 to 64 letters, digits, `-` and `_`. */
  readonly key: string;
  /** The amount in hundredths of TZS: a safe integer greater than 0. */
  readonly cents: number;
  /**
   * A hash that says whether two lines of an account and environment go to the same recipient. At most 64 characters, and no
   * blank.
   */
  readonly recipient: string;
  /** A JSON object: name, recipient, remarks. Personal data. */
  readonly content: string;
}

/** A line as the storage has it. */
export interface BatchLine extends NewBatchLine {
  readonly state: LineState;
  /** A JSON object: what its check found, or why it is in its state; `{}` at first. Personal data. */
  readonly result: string;
  /** Each change of a line has a later time than the one before, so that it also tells them apart. */
  readonly updatedAt: number;
}

/** What an encryption seals of a line. */
export type SealedLine = Pick<BatchLine, 'number' | 'recipient' | 'content' | 'result'>;

/** A change of a line, made only if the line is in one of the states `from`. */
export interface LineChange {
  readonly number: number;
  readonly from: readonly LineState[];
  /** Only if nobody changed the line since it was read with this `updatedAt`. Absent: also if somebody did. */
  readonly at?: number;
  readonly to: LineState;
  /** Absent: stays as it is. */
  readonly result?: string;
}

/** The lines of a batch in one state. */
export interface LineCount {
  readonly state: LineState;
  readonly lines: number;
  /** Hundredths of TZS. */
  readonly cents: bigint;
}

/** Lines that are loaded together. */
export interface BatchChunk {
  /** 1 for the first chunk; without gaps. */
  readonly chunk: number;
  /** SHA-256 (hex) of its lines. */
  readonly digest: string;
}

/** A line whose recipient is looked for in other lines. */
export interface LineRecipient extends Pick<NewBatchLine, 'number' | 'cents'> {
  /** Its recipient in every form in which a line may have it: an earlier key stored another one. Each form once. */
  readonly recipients: readonly string[];
}

/** Another line with the recipient of a line. */
export interface SameRecipient {
  /** The line of the batch that was asked about. */
  readonly number: number;
  /** The name of the other line's batch. */
  readonly batch: string;
  /** The key of the other line. */
  readonly key: string;
  readonly state: LineState;
}

/**
 * Batches of payouts and their lines. Every method rejects with a `PaymentsStorageError` if the storage fails; then nothing
 * or all of it was written.
 */
export interface BatchStore {
  /** Writes a new batch and the first entry of its audit trail. An existing one stays, and is returned. */
  create(
    record: BatchRecord,
    event: BatchEvent,
  ): Promise<{ readonly created: boolean; readonly stored: StoredBatch }>;
  get(key: BatchKey): Promise<StoredBatch | undefined>;
  /** The batches of an account in the order of their names, after a name. */
  list(
    scope: InboxScope,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StoredBatch[]>;
  /** The batches of all accounts that are `checking`, `running` or `paused`, in the order of their `load`, after one. */
  unfinished(page: { readonly after?: string; readonly limit: number }): Promise<readonly StoredBatch[]>;
  /** The names of other batches with the same lines. */
  withDigest(key: BatchKey, digest: string, limit: number): Promise<readonly string[]>;
  /** Replaces a batch and adds to its audit trail. Undefined if it has another version. */
  replace(version: number, record: BatchRecord, event: BatchEvent): Promise<StoredBatch | undefined>;
  /** Removes a batch with its audit trail, and not its lines. False if it has another version. */
  remove(key: BatchKey, version: number): Promise<boolean>;
  /**
   * Removes the batches of all accounts that ended, were cancelled, or were never loaded to their end, and did not change for
   * `olderThanMs`, with all that belongs to them. Those with lines that are `sending` or `unknown` stay. Also removes lines
   * that a dead process left without a batch. Returns how many batches were removed.
   */
  purge(olderThanMs: number): Promise<number>;
  /** How many batches such a purge leaves because of lines that are `sending` or `unknown`, and the oldest of them. */
  kept(
    olderThanMs: number,
    limit: number,
  ): Promise<{ readonly batches: number; readonly oldest: readonly BatchKey[] }>;
  /** Adds to the audit trail, which makes the batch as young as the entry. False if there is no such batch. */
  append(key: BatchKey, event: BatchEvent): Promise<boolean>;
  events(
    key: BatchKey,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredBatchEvent[]>;

  /**
   * Adds a chunk of lines in the state `waiting`, all or none. Returns the keys that the load has already: then nothing was
   * added. Continues if only the answer of the database was lost.
   */
  addChunk(load: string, chunk: BatchChunk, lines: readonly NewBatchLine[]): Promise<readonly string[]>;
  /** Removes the lines, chunks and counts of a load, in several transactions. */
  removeLoad(load: string): Promise<void>;
  chunks(
    load: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly BatchChunk[]>;
  /** The chunks, after one, with a line in one of these states, in their order. */
  chunksIn(
    load: string,
    states: readonly LineState[],
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly number[]>;
  /** The lines of a chunk in their order. */
  linesOf(load: string, chunk: number): Promise<readonly BatchLine[]>;
  /** The lines, after a number, in their order; those in all states without `states`. */
  lines(
    load: string,
    page: { readonly after: number; readonly limit: number; readonly states?: readonly LineState[] },
  ): Promise<readonly BatchLine[]>;
  line(load: string, key: string): Promise<BatchLine | undefined>;
  /**
   * Makes those changes whose line is in a state that they allow, all in one transaction with the counts, and returns the
   * numbers of these lines. Of several changes of one line, the last one counts.
   */
  change(load: string, changes: readonly LineChange[]): Promise<readonly number[]>;
  /** Replaces what is sealed of a line, and no time. False if somebody else changed it. */
  replaceLine(load: string, before: SealedLine, line: SealedLine): Promise<boolean>;
  /** One row for each state that a line has. The rows add up to the batch at every moment. Costs the same for every size. */
  counts(load: string): Promise<readonly LineCount[]>;
  /**
   * Lines with the recipient of one of these lines of the load: earlier lines of the same load, and lines of other loads with
   * the same amount whose money went out, or may have, and which changed within `withinMs`. At most `limit` for each line:
   * those of other loads rather than of its own, and those that changed last.
   */
  sameRecipients(
    load: string,
    lines: readonly LineRecipient[],
    withinMs: number,
    limit: number,
  ): Promise<readonly SameRecipient[]>;
}
