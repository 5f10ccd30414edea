import { type ForgettablePayments, type JournalRecord, type JournalScope } from '../journal-store.js';
import { purgeTargets } from '../purge-targets.js';
import { portableAccounts } from './portable-accounts.js';
import { journalPage } from './portable-journal-page.js';
import { newVersion, paymentHash, type PortableDialect, TABLES } from './portable-dialect.js';
import { type SqlResult, type SqlScript, type SqlStep } from './sql-database.js';
import { type JournalStatements } from './sql-statements.js';
import { listOf, raw, sql, type SqlPiece } from './sql-template.js';
import { journalKeyValues } from './sql-text.js';

export const JOURNAL = raw(TABLES.journal);
const TOMBSTONES = raw(TABLES.tombstones);
const KEY = ['account', 'environment', 'family', 'reference'] as const;
const TOMBSTONE_KEY = ['account', 'environment', 'payment'] as const;

/** The operations of the journal without RETURNING: a version that only this writer knows shows what was written. */
export function portableJournal(dialect: PortableDialect): JournalStatements {
  const { now } = dialect;
  const stored = storedColumns(now);
  const one = (...steps: readonly SqlStep[]): SqlScript => ({ steps });
  return {
    insert: (record, leaseMs) =>
      dialect.probe
        ? plannedScript(dialect, dialect.probe, stored, record, leaseMs)
        : insertScript(dialect, stored, record, leaseMs),
    get: (key) => one(sql`SELECT ${stored} FROM ${JOURNAL} WHERE ${keyIs(journalKeyValues(key))}`),
    // In a transaction of the application, a lock shows also what was committed since it began.
    tombstone: (key) =>
      one(sql`SELECT attempt, ended, settled_by FROM ${TOMBSTONES} WHERE ${tombstoneIs(key)}
        ${raw(dialect.probe ? 'FOR UPDATE' : '')}`),
    endTombstone: (key, { end, settledBy }) =>
      one(sql`UPDATE ${TOMBSTONES} SET ended = ${end}, settled_by = ${settledBy}, left_at = ${now}
        WHERE ${tombstoneIs(key)}`),
    replace: (version, record, leaseMs) => replaceScript(dialect, stored, version, record, leaseMs),
    remove: (key, version) =>
      one(sql`DELETE FROM ${JOURNAL} WHERE ${keyIs(journalKeyValues(key))} AND version = ${version}`),
    list: (scope, except, start, limit) =>
      one(journalPage(sql`${stored} FROM ${JOURNAL} WHERE ${scopeIs(scope)}`, except, start, limit)),
    purge: (scope, what, olderThanMs) => {
      const { account, environment } = scope;
      const isOf = sql`account = ${account} AND environment = ${environment}`;
      if (what !== 'tombstones') return forgetScript(dialect, isOf, what, olderThanMs);
      const isOld = sql`${isOf} AND left_at < ${now} - ${olderThanMs}`;
      return dialect.deleteFirst(TABLES.tombstones, TOMBSTONE_KEY, isOld, 'left_at');
    },
    accounts: portableAccounts([TABLES.journal, TABLES.tombstones]),
  };
}

export function storedColumns(now: SqlPiece): SqlPiece {
  return sql`account, environment, family, reference, state, attempt AS attempt_text, record AS record_text,
    version AS version_text, id AS id_text, ${now} AS now_ms, created_at AS created_ms, updated_at AS updated_ms,
    attempt_at AS attempt_ms, lease_until AS lease_ms`;
}

/**
 * The last SELECT runs after a purge that the INSERT may have waited for, so it sees the tombstone that the purge
 * left. The first SELECT is not part of the INSERT, because MySQL gives no number to another row before an INSERT …
 * SELECT has ended.
 */
function insertScript(
  dialect: PortableDialect,
  stored: SqlPiece,
  record: JournalRecord,
  leaseMs: number,
): SqlScript {
  const version = newVersion();
  const isPayment = keyIs(journalKeyValues(record));
  const tombstone = sql`SELECT 1 FROM ${TOMBSTONES} WHERE ${tombstoneIs(record)}`;
  return {
    // The caller was told that nothing is sent, and recovery would find a payment that may have been.
    undoLate: () => ({ steps: [sql`DELETE FROM ${JOURNAL} WHERE ${isPayment} AND version = ${version}`] }),
    steps: [
      sql`SELECT one FROM (SELECT 1 AS one) AS given WHERE NOT EXISTS (${tombstone})`,
      (results) =>
        lastRows(results).length === 0 ? undefined : insertion(dialect, record, leaseMs, version),
      sql`SELECT CASE WHEN version <> ${version} THEN 'no' WHEN EXISTS (${tombstone}) THEN 'instead' ELSE 'yes' END AS inserted,
          ${stored}
        FROM ${JOURNAL} WHERE ${isPayment}`,
    ],
  };
}

/**
 * The same in a transaction of the application. It keeps its locks until it ends, and locks on the rows of others, or
 * on the gaps between rows, would block all other writers. So the script reads its own row without a lock and changes
 * it by its number. It looks for the tombstone without a lock, too, after it has written the row: from then on no
 * purge can leave one. A tombstone that is hidden from the transaction is found before the payment is sent.
 */
function plannedScript(
  dialect: PortableDialect,
  probe: NonNullable<PortableDialect['probe']>,
  stored: SqlPiece,
  record: JournalRecord,
  leaseMs: number,
): SqlScript {
  const version = newVersion();
  const isPayment = keyIs(journalKeyValues(record));
  // No process sends it before it is certain that the transaction is open.
  const first: JournalRecord = { ...record, state: 'unknown', evidence: 'in-flight' };
  const ownId = (id: string | null | undefined): SqlPiece => sql`id = ${Number(id)} AND version = ${version}`;
  const planIt = (own: SqlPiece): SqlPiece =>
    sql`UPDATE ${JOURNAL} SET state = ${record.state}, record = ${JSON.stringify(record)} WHERE ${own}`;
  const tombstone = sql`SELECT 1 FROM ${TOMBSTONES} WHERE ${tombstoneIs(record)}`;
  const visible = sql`CASE WHEN EXISTS (${tombstone}) THEN 'instead' ELSE 'yes' END`;
  let own: SqlPiece | undefined;
  return {
    undoAfterEnd: { steps: [sql`DELETE FROM ${JOURNAL} WHERE ${isPayment} AND version = ${version}`] },
    undoPartial: () => own && { steps: [sql`DELETE FROM ${JOURNAL} WHERE ${own}`] },
    steps: [
      probe.begin,
      insertion(dialect, first, leaseMs, version),
      probe.end,
      sql`SELECT id FROM ${JOURNAL} WHERE ${isPayment} AND version = ${version}`,
      (results) => {
        const [written] = lastRows(results);
        if (written) return planIt((own = ownId(written['id'])));
        // Another row has the key, or had it when the transaction began, and then hides this one.
        return sql`SELECT CASE WHEN version = ${version} THEN 'instead' ELSE 'no' END AS inserted, ${stored}
          FROM ${JOURNAL} WHERE ${isPayment} FOR UPDATE`;
      },
      (results) => {
        if (own) return planned(own, visible);
        const [latest] = lastRows(results);
        return latest?.['inserted'] === 'instead' ? planIt((own = ownId(latest['id_text']))) : undefined;
      },
      (results) => (own && lastRows(results).length === 0 ? planned(own, raw("'instead'")) : undefined),
    ],
  };
  function planned(which: SqlPiece, inserted: SqlPiece): SqlPiece {
    return sql`SELECT ${inserted} AS inserted, ${stored} FROM ${JOURNAL} WHERE ${which}`;
  }
}

function lastRows(results: readonly SqlResult[]): SqlResult['rows'] {
  return results.at(-1)?.rows ?? [];
}

/** Keeps an existing row. */
export function insertion(
  { now, keepExisting }: PortableDialect,
  record: JournalRecord,
  leaseMs: number,
  version: number,
): SqlPiece {
  const { state, attempt, intent, family, outcome = null, settledBy = null, keepsKey = false } = record;
  const [account, environment, , reference] = journalKeyValues(record);
  return sql`INSERT INTO ${JOURNAL} (account, environment, family, reference, payment, state, attempt, intent, record, outcome,
      settled_by, keeps_key, version, created_at, updated_at, attempt_at, lease_until)
    VALUES (${account}, ${environment}, ${family}, ${reference}, ${paymentOf(record)}, ${state}, ${attempt}, ${intent},
      ${JSON.stringify(record)}, ${outcome}, ${settledBy}, ${keepsKey ? 1 : 0}, ${version}, ${now}, ${now}, ${now},
      ${now} + ${leaseMs})
    ${keepExisting(TABLES.journal, KEY)}`;
}

/** In a transaction of the application, a probe says whether another one holds the row. */
function replaceScript(
  { now, probe }: PortableDialect,
  stored: SqlPiece,
  version: number,
  record: JournalRecord,
  leaseMs: number,
): SqlScript {
  const next = newVersion();
  const isPayment = keyIs(journalKeyValues(record));
  const held = probe ? newVersion() : version;
  const write = replacement(now, record, leaseMs, next, held);
  const read = sql`SELECT ${stored} FROM ${JOURNAL} WHERE ${isPayment} AND version = ${next}`;
  if (!probe) {
    let isWritten = false;
    return {
      steps: [
        write,
        (results) => {
          isWritten = results[0]?.rowCount === 1;
          return read;
        },
        // Another process replaced or removed the record before the read. This write was done anyway.
        (results) =>
          isWritten && lastRows(results).length === 0 ? asWritten(now, record, leaseMs, next) : undefined,
      ],
      written: () => (isWritten ? next : undefined),
    };
  }
  return {
    atomic: true,
    steps: [
      probe.begin,
      sql`UPDATE ${JOURNAL} SET version = ${held} WHERE ${isPayment} AND version = ${version}`,
      probe.end,
      write,
      read,
    ],
  };
}

/** The row that a replacement wrote, with the times of what is there now. */
function asWritten(now: SqlPiece, record: JournalRecord, leaseMs: number, version: number): SqlPiece {
  const [account, environment, family, reference] = journalKeyValues(record);
  const { state, attempt, intent } = record;
  return sql`SELECT ${account} AS account, ${environment} AS environment, ${family} AS family, ${reference} AS reference,
      ${state} AS state, ${attempt} AS attempt_text, ${JSON.stringify(record)} AS record_text, ${version} AS version_text,
      ${now} AS now_ms, COALESCE(created_at, ${now}) AS created_ms, ${now} AS updated_ms,
      CASE WHEN attempt = ${attempt} AND intent = ${intent} THEN attempt_at ELSE ${now} END AS attempt_ms,
      ${now} + ${leaseMs} AS lease_ms
    FROM (SELECT 1 AS one) AS given LEFT JOIN ${JOURNAL} ON ${keyIs(journalKeyValues(record))}`;
}

/** Writes a record over the one with the version `held`. */
export function replacement(
  now: SqlPiece,
  record: JournalRecord,
  leaseMs: number,
  next: number,
  held: number,
): SqlPiece {
  const { state, attempt, intent, outcome = null, settledBy = null, keepsKey = false } = record;
  // MySQL assigns from left to right: `attempt_at` comes before what it looks at.
  return sql`UPDATE ${JOURNAL} SET
      attempt_at = CASE WHEN attempt = ${attempt} AND intent = ${intent} THEN attempt_at ELSE ${now} END,
      state = ${state}, attempt = ${attempt}, intent = ${intent}, record = ${JSON.stringify(record)},
      outcome = ${outcome}, settled_by = ${settledBy}, keeps_key = ${keepsKey ? 1 : 0}, version = ${next},
      updated_at = ${now}, lease_until = ${now} + ${leaseMs}
    WHERE ${keyIs(journalKeyValues(record))} AND version = ${held}`;
}

/** Forgets a batch and leaves its tombstones, all or nothing. */
function forgetScript(
  { now, takeOver, lockRows, batch }: PortableDialect,
  isOf: SqlPiece,
  what: ForgettablePayments,
  olderThanMs: number,
): SqlScript {
  const targets = purgeTargets(what);
  const state = targets[0]?.state;
  const families = listOf(targets.map(({ family }) => family));
  const idsOf = ([found]: readonly SqlResult[]): SqlPiece =>
    listOf((found?.rows ?? []).map(({ id }) => Number(id)));
  return {
    atomic: true,
    steps: [
      sql`SELECT id FROM ${JOURNAL}
        WHERE ${isOf} AND state = ${state} AND family IN (${families}) AND updated_at < ${now} - ${olderThanMs}
        ORDER BY updated_at LIMIT ${raw(`${batch}`)} ${lockRows}`,
      (results) =>
        results[0]?.rows.length === 0
          ? undefined
          : sql`INSERT INTO ${TOMBSTONES} (account, environment, payment, attempt, ended, settled_by, left_at)
              SELECT account, environment, payment, attempt,
                COALESCE(outcome, CASE WHEN state <> 'rejected' THEN 'accepted' WHEN keeps_key = 1 THEN 'unlisted-refusal'
                  ELSE 'rejected' END),
                settled_by, ${now}
              FROM ${JOURNAL} WHERE id IN (${idsOf(results)})
              ${takeOver(TABLES.tombstones, TOMBSTONE_KEY, ['attempt', 'ended', 'settled_by', 'left_at'])}`,
      (results) => sql`DELETE FROM ${JOURNAL} WHERE id IN (${idsOf(results)})`,
    ],
  };
}

export function scopeIs({ account, environment, family }: JournalScope): SqlPiece {
  return sql`account = ${account} AND environment = ${environment} AND family = ${family}`;
}

export function keyIs([account, environment, family, reference]: readonly string[]): SqlPiece {
  return sql`account = ${account} AND environment = ${environment} AND family = ${family} AND reference = ${reference}`;
}

function paymentOf(key: JournalScope & { readonly reference: string }): string {
  const [, , family = '', reference = ''] = journalKeyValues(key);
  return paymentHash(family, reference);
}

export function tombstoneIs(key: JournalScope & { readonly reference: string }): SqlPiece {
  return sql`account = ${key.account} AND environment = ${key.environment} AND payment = ${paymentOf(key)}`;
}
