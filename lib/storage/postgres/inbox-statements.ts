import { type InboxDelivery } from '../inbox-store.js';
import { brief, change, type HeldKey, type SqlScript, statement } from '../sql/sql-database.js';
import { type InboxStatements } from '../sql/sql-statements.js';
import { inboxKeyValues, toSqlText } from '../sql/sql-text.js';
import { accountsOf } from './account-statements.js';
import { deleteBatch } from './delete-batch.js';
import { epochText, milliseconds, MOMENT, timelyMoment } from './postgres-text.js';
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

/** The operations of the inbox in PostgreSQL: one statement each. */
export function inboxStatements(names: TableNames): InboxStatements {
  const texts = inboxTexts(names);
  const about = (text: string, { values, fence }: HeldKey, ...more: readonly string[]): SqlScript =>
    brief(change(text, [...values, fence, ...more]));
  return {
    claim: (delivery, leaseMs) =>
      brief(
        statement(delivery.mustExist ? texts.claimExisting : texts.claim, claimValues(delivery, leaseMs)),
      ),
    isDone: ({ key, fingerprint, providerReference }) =>
      brief(statement(texts.isDone, [...inboxKeyValues(key), fingerprint, providerReference ?? null])),
    adopt: ({ key, fingerprint, providerReference }) =>
      brief(change(texts.adopt, [...inboxKeyValues(key), fingerprint, providerReference])),
    finish: (held) => about(texts.finish, held),
    fail: (held) => about(texts.fail, held),
    withdraw: (held) => about(texts.withdraw, held),
    state: ({ values, fence }) => brief(statement(texts.state, [...values, fence])),
    mark: (held, handler) => about(texts.mark, held, toSqlText(handler)),
    runs: (key) => brief(statement(texts.runs, inboxKeyValues(key))),
    purge: ({ account, environment }, olderThanMs) =>
      change(texts.purge, [account, environment, olderThanMs]),
    accounts: texts.accounts,
  };
}

function claimValues(delivery: InboxDelivery, leaseMs: number): readonly unknown[] {
  const { key, event, fingerprint, replaces, providerReference } = delivery;
  const mayReplace = replaces === 'any' ? null : replaces;
  const given = [toSqlText(event), fingerprint, leaseMs, mayReplace, providerReference ?? null];
  return [...inboxKeyValues(key), ...given];
}

/** The statements. Each comment lists the parameters. */
function inboxTexts({ inbox, fences }: TableNames) {
  const given = `${timelyMoment()}, given AS (
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
    /** Key, event, fingerprint, lease, fingerprints that may be replaced (null: any), provider reference. */
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
    /** The same. Does not recreate an entry that a purge removes meanwhile. */
    claimExisting: `WITH ${given}, claimed AS (
        UPDATE ${inbox} AS entry SET ${changesOf('given')}
        FROM given WHERE ${KEY} AND ${mayBeClaimed('given')}
        RETURNING entry.fence, entry.attempt, entry.finished
      )
      ${claimedOrExisting}`,
    /** Key, fingerprint, provider reference; so has the next one. */
    isDone: `SELECT state FROM ${inbox} WHERE ${KEY} AND state = 'done' AND fingerprint = $5
      AND coalesce(provider_reference = $6, $6::text IS NULL)`,
    adopt: `WITH ${MOMENT} UPDATE ${inbox} SET provider_reference = $6 FROM moment
      WHERE ${KEY} AND fingerprint = $5 AND provider_reference IS NULL`,

    /** Key, fence; so have the next three. Touches an entry again that this claim has already finished. */
    finish: `WITH ${MOMENT}
      UPDATE ${inbox} SET state = 'done', changed_at = CASE WHEN state = 'done' THEN changed_at ELSE now END
      FROM moment WHERE ${CLAIMED} AND state IN ('running', 'done')`,
    fail: `WITH ${MOMENT} UPDATE ${inbox} SET state = 'open', changed_at = now FROM moment WHERE ${HELD}`,
    withdraw: `WITH ${MOMENT} DELETE FROM ${inbox} USING moment WHERE ${HELD}`,
    state: `SELECT state FROM ${inbox} WHERE ${CLAIMED}`,
    /** Key, fence, handler. */
    mark: `WITH ${MOMENT} UPDATE ${inbox} SET finished = array_append(finished, $6::text) FROM moment WHERE ${HELD}`,
    /** Key. */
    runs: `SELECT state FROM ${inbox} WHERE ${KEY} AND state = 'running' AND lease_until > clock_timestamp()`,

    /** Account, environment, age. */
    purge: deleteBatch(inbox, "state = 'done'", 'changed_at'),
    accounts: accountsOf([inbox]),
  };
}
