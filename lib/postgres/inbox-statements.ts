import { deleteBatch } from './delete-in-batches.js';
import { epochText, milliseconds, MOMENT } from './sql-time.js';
import { nextOf, type TableNames } from './table-names.js';

/** The first parameters of every statement about one entry. */
const KEY = 'account = $1 AND environment = $2 AND kind = $3 AND reference = $4';
/** The entry since this claim. */
const CLAIMED = `${KEY} AND fence = $5::bigint`;
/** The entry, while this claim runs. */
const HELD = `${CLAIMED} AND state = 'running'`;

/** What the inbox asks of PostgreSQL. */
export interface InboxStatements {
  /**
   * Key, event, fingerprint, lease, fingerprints that may be replaced (null: any).
   * One row: what was claimed (`fence`), or else what stood when the statement began (`state`). No row: an entry that was
   * written since then stands in the way.
   */
  readonly claim: string;
  /** Key, fence. Touches the entry also where this claim had finished it before. */
  readonly finish: string;
  /** Key, fence. */
  readonly giveBack: string;
  /** Key, fence. No row: the entry was claimed again since. */
  readonly state: string;
  /** Key, fence, handler. */
  readonly mark: string;
  /** Key. A row where a claim holds. */
  readonly runs: string;
  /** Account, environment, age. */
  readonly purge: string;
}

export function inboxStatements({ inbox, fences }: TableNames): InboxStatements {
  return {
    // The condition is that of `decideClaim`, which judges what stands where nothing was claimed.
    claim: `WITH ${MOMENT}, claimed AS (
        INSERT INTO ${inbox} AS entry (account, environment, kind, reference, event, fingerprint, state, fence, attempt,
                                       finished, changed_at, lease_until)
        SELECT $1, $2, $3, $4, $5, $6, 'running', ${nextOf(fences)}, 1, '{}'::text[], now, now + ${milliseconds('$7')}
        FROM moment
        ON CONFLICT (account, environment, kind, reference) DO UPDATE SET
          event = EXCLUDED.event, fingerprint = EXCLUDED.fingerprint, state = EXCLUDED.state, fence = EXCLUDED.fence,
          changed_at = EXCLUDED.changed_at, lease_until = EXCLUDED.lease_until,
          attempt = CASE WHEN entry.fingerprint = EXCLUDED.fingerprint THEN entry.attempt + 1 ELSE 1 END,
          finished = CASE WHEN entry.fingerprint = EXCLUDED.fingerprint THEN entry.finished ELSE EXCLUDED.finished END
        WHERE (entry.state <> 'running' OR entry.lease_until <= EXCLUDED.changed_at)
          AND CASE WHEN entry.fingerprint = EXCLUDED.fingerprint THEN entry.state <> 'done'
                   ELSE $8::text[] IS NULL OR entry.fingerprint = ANY ($8::text[]) END
        RETURNING fence, attempt, finished
      )
      SELECT fence::text, attempt::text, to_json(finished)::text AS finished, NULL AS event, NULL AS fingerprint,
             NULL AS state, NULL AS now_ms, NULL AS lease_ms
      FROM claimed
      UNION ALL
      SELECT NULL, NULL, NULL, event, fingerprint, state, ${epochText('now')}, ${epochText('lease_until')}
      FROM ${inbox}, moment WHERE ${KEY} AND NOT EXISTS (SELECT FROM claimed)`,

    finish: `WITH ${MOMENT}
      UPDATE ${inbox} SET state = 'done', changed_at = CASE WHEN state = 'done' THEN changed_at ELSE now END
      FROM moment WHERE ${CLAIMED} AND state IN ('running', 'done')`,
    giveBack: `WITH ${MOMENT} UPDATE ${inbox} SET state = 'open', changed_at = now FROM moment WHERE ${HELD}`,
    state: `SELECT state FROM ${inbox} WHERE ${CLAIMED}`,
    mark: `WITH ${MOMENT} UPDATE ${inbox} SET finished = array_append(finished, $6::text) FROM moment WHERE ${HELD}`,
    runs: `SELECT FROM ${inbox} WHERE ${KEY} AND state = 'running' AND lease_until > clock_timestamp()`,

    purge: deleteBatch(inbox, "state = 'done'", 'changed_at'),
  };
}
