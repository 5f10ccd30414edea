import { deleteBatch } from './delete-in-batches.js';
import { epochText, milliseconds, MOMENT } from './sql-text.js';
import { nextOf, type TableNames } from './table-names.js';

/** The first parameters of every statement about one entry. */
const KEY = 'account = $1 AND environment = $2 AND kind = $3 AND reference = $4';
/** The entry with the fence of this claim. */
const CLAIMED = `${KEY} AND fence = $5::bigint`;
/** The entry, while this claim runs. */
const HELD = `${CLAIMED} AND state = 'running'`;

/** Whether a claim is for the existing outcome. Ignores absent provider references. */
function isSame(given: string): string {
  return `entry.fingerprint = ${given}.fingerprint
    AND coalesce(entry.provider_reference = ${given}.provider_reference, true)`;
}

/** The columns that a claim sets. */
function changesOf(given: string): string {
  const ifSame = (then: string, otherwise: string): string =>
    `CASE WHEN ${isSame(given)} THEN ${then} ELSE ${otherwise} END`;
  return `event = ${given}.event, fingerprint = ${given}.fingerprint, state = 'running', fence = ${given}.fence,
    changed_at = ${given}.changed_at, lease_until = ${given}.lease_until,
    provider_reference = ${ifSame(`coalesce(${given}.provider_reference, entry.provider_reference)`, `${given}.provider_reference`)},
    attempt = ${ifSame('entry.attempt + 1', '1')},
    finished = ${ifSame('entry.finished', "'{}'::text[]")}`;
}

/** Whether a claim may take an entry: the same condition as in `decideClaim`, which decides if it may not. */
function mayBeClaimed(given: string): string {
  return `(entry.state <> 'running' OR entry.lease_until <= ${given}.changed_at)
    AND CASE WHEN ${isSame(given)} THEN entry.state <> 'done'
             ELSE $8::text[] IS NULL OR entry.fingerprint = ANY ($8::text[]) END`;
}

/** The statements of the inbox. Each comment lists the parameters. */
export interface InboxStatements {
  /**
   * Key, event, fingerprint, lease, fingerprints that may be replaced (null: any), provider reference.
   * One row: the claim (`fence`), or else the entry that existed when the statement began (`state`). No row: another
   * entry was written since then.
   */
  readonly claim: string;
  /**
   * The same for an entry that must exist; no row: it did not. Does not recreate an entry that a purge
   * removes meanwhile.
   */
  readonly claimExisting: string;
  /** Key, fingerprint, provider reference. No row: the entry has one already, or is another outcome's. */
  readonly adopt: string;
  /** Key, fence. Also touches an entry that this claim has already finished. */
  readonly finish: string;
  /** Key, fence. */
  readonly fail: string;
  /** Key, fence. */
  readonly withdraw: string;
  /** Key, fence. No row: another claim has taken the entry. */
  readonly state: string;
  /** Key, fence, handler. */
  readonly mark: string;
  /** Key. A row: a claim holds. */
  readonly runs: string;
  /** Account, environment, age. */
  readonly purge: string;
}

export function inboxStatements({ inbox, fences }: TableNames): InboxStatements {
  const given = `${MOMENT}, given AS (
        SELECT $5::text AS event, $6::text COLLATE "C" AS fingerprint, $9::text COLLATE "C" AS provider_reference,
               ${nextOf(fences)} AS fence, now AS changed_at, now + ${milliseconds('$7')} AS lease_until
        FROM moment
      )`;
  const claimedOrExisting = `SELECT fence::text, attempt::text, to_json(finished)::text AS finished, NULL AS event,
             NULL AS fingerprint, NULL AS provider_reference, NULL AS state, NULL AS now_ms, NULL AS lease_ms
      FROM claimed
      UNION ALL
      SELECT NULL, NULL, NULL, event, fingerprint, provider_reference, state, ${epochText('now')}, ${epochText('lease_until')}
      FROM ${inbox}, moment WHERE ${KEY} AND NOT EXISTS (SELECT FROM claimed)`;
  return {
    claim: `WITH ${given}, claimed AS (
        INSERT INTO ${inbox} AS entry (account, environment, kind, reference, event, fingerprint, provider_reference, state,
                                       fence, attempt, finished, changed_at, lease_until)
        SELECT $1, $2, $3, $4, event, fingerprint, provider_reference, 'running', fence, 1, '{}'::text[], changed_at,
               lease_until
        FROM given
        ON CONFLICT (account, environment, kind, reference) DO UPDATE SET ${changesOf('EXCLUDED')}
        WHERE ${mayBeClaimed('EXCLUDED')}
        RETURNING fence, attempt, finished
      )
      ${claimedOrExisting}`,
    claimExisting: `WITH ${given}, claimed AS (
        UPDATE ${inbox} AS entry SET ${changesOf('given')}
        FROM given WHERE ${KEY} AND ${mayBeClaimed('given')}
        RETURNING entry.fence, entry.attempt, entry.finished
      )
      ${claimedOrExisting}`,
    adopt: `WITH ${MOMENT} UPDATE ${inbox} SET provider_reference = $6 FROM moment
      WHERE ${KEY} AND fingerprint = $5 AND provider_reference IS NULL`,

    finish: `WITH ${MOMENT}
      UPDATE ${inbox} SET state = 'done', changed_at = CASE WHEN state = 'done' THEN changed_at ELSE now END
      FROM moment WHERE ${CLAIMED} AND state IN ('running', 'done')`,
    fail: `WITH ${MOMENT} UPDATE ${inbox} SET state = 'open', changed_at = now FROM moment WHERE ${HELD}`,
    withdraw: `DELETE FROM ${inbox} WHERE ${HELD}`,
    state: `SELECT state FROM ${inbox} WHERE ${CLAIMED}`,
    mark: `WITH ${MOMENT} UPDATE ${inbox} SET finished = array_append(finished, $6::text) FROM moment WHERE ${HELD}`,
    runs: `SELECT FROM ${inbox} WHERE ${KEY} AND state = 'running' AND lease_until > clock_timestamp()`,

    purge: deleteBatch(inbox, "state = 'done'", 'changed_at'),
  };
}
