import { type BatchRecord } from '../../storage/batch-store.js';
import { jsonObject } from '../../common/json-object.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';

/** An approval of a batch. */
interface BatchApproval {
  /** The application's own id of a person. */
  readonly by: string;
  /** What was approved: see `approvalDigest`. */
  readonly digest: string;
}

/** Why a batch pauses, and whether it continues by itself. */
export interface BatchPause {
  /** A whole sentence. */
  readonly reason: string;
  /**
   * `window`: a window of the policy opens. `balance`: the wallet holds enough. `gateway`: the gateway can be reached.
   * Absent: somebody resumes it.
   */
  readonly until?: 'window' | 'balance' | 'gateway' | undefined;
  /**
   * How many runs in a row ended because recipients could not be looked up, without a line being sent since the first of them
   * ended. Absent in a pause for anything else.
   */
  readonly looks?: number | undefined;
}

/** The time since a batch was last started or resumed. */
interface BatchRun {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** How many lines had been sent until then. */
  readonly sentBefore: number;
  /** See `BatchPause.looks`: that of the pause before. */
  readonly looksBefore?: number | undefined;
}

/** What a batch knows beside its state and lines. */
export interface BatchDetails {
  readonly createdBy: string;
  /** Rises whenever chunks are given to the engine, so that the jobs of an earlier run are told apart. */
  readonly round: number;
  readonly lines: number;
  /** Sum of all lines in hundredths of TZS. */
  readonly cents: string;
  readonly approvals: readonly BatchApproval[];
  /**
   * How many the policy asked for when the batch was loaded. A process with a laxer policy, such as the command line, needs as
   * many.
   */
  readonly approvalsNeeded?: number | undefined;
  /** A hash of all words that were given for blocked lines, and of the checks that looked some up again; absent without any. */
  readonly words?: string | undefined;
  /** Blocked lines that somebody accepts right now: the check does not end before they are written. */
  readonly accepting?: { readonly by: string; readonly keys: readonly string[] } | undefined;
  /** The check that runs looks blocked lines up again, about whose recipients the gateway gave no usable answer. */
  readonly looksAgain?: true | undefined;
  readonly pause?: BatchPause | undefined;
  readonly run?: BatchRun | undefined;
}

export function detailsOf({ details }: Pick<BatchRecord, 'details'>): BatchDetails {
  return jsonObject(details) as unknown as BatchDetails;
}

/** Whether a batch that pauses continues without a person. */
export function continuesAlone(
  { until }: BatchPause,
  { resumeAfterTopUp }: Pick<ResolvedBatchPolicy, 'resumeAfterTopUp'>,
): boolean {
  return until !== undefined && (until !== 'balance' || resumeAfterTopUp);
}

/** A record with changed details. */
export function withDetails(
  record: BatchRecord,
  state: BatchRecord['state'],
  changes: Partial<BatchDetails>,
): BatchRecord {
  return { ...record, state, details: JSON.stringify({ ...detailsOf(record), ...changes }) };
}
