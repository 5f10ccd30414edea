import { type BatchEvent, type BatchKey, type BatchRecord } from '../batch-store.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { type BatchStatements } from './batch-statements.js';
import { portableBatchLines } from './portable-batch-lines.js';
import { newVersion, type PortableDialect, TABLES } from './portable-dialect.js';
import { type SqlScript, type SqlStep } from './sql-database.js';
import { joined, raw, sql, type SqlPiece } from './sql-template.js';
import { toSqlText } from './sql-text.js';

const BATCHES = raw(TABLES.batches);
const EVENTS = raw(TABLES.batchEvents);
const COUNTS = raw(TABLES.batchCounts);
const KEY = ['account', 'environment', 'name'] as const;
const UNFINISHED = ['checking', 'running', 'paused'] as const;

type BatchesOnly = Omit<BatchStatements, keyof ReturnType<typeof portableBatchLines>>;

/** The operations of batches without RETURNING: a version that only this writer knows shows what was written. */
export function portableBatches(dialect: PortableDialect): BatchStatements {
  return { ...readingBatches(dialect), ...writingBatches(dialect), ...portableBatchLines(dialect) };
}

function readingBatches({
  now,
}: PortableDialect): Pick<
  BatchesOnly,
  'get' | 'list' | 'unfinished' | 'withDigest' | 'events' | 'purgeable' | 'kept' | 'orphans'
> {
  const stored = storedColumns(now);
  const one = (step: SqlStep): SqlScript => ({ steps: [step] });
  const old = (columns: SqlPiece, openLines: 'EXISTS' | 'NOT EXISTS', olderThanMs: number, limit: number) =>
    one(sql`SELECT ${columns} FROM ${BATCHES} WHERE state IN ('loading', 'ended', 'cancelled')
        AND updated_at < ${now} - ${olderThanMs}
        AND ${raw(openLines)} (SELECT 1 FROM ${COUNTS} AS c
          WHERE c.batch_load = ${BATCHES}.batch_load AND c.state IN ('sending', 'unknown') AND c.line_count > 0)
        ORDER BY ${BATCHES}.updated_at LIMIT ${raw(`${limit}`)}`);
  return {
    get: (key) => one(sql`SELECT ${stored} FROM ${BATCHES} WHERE ${keyIs(key)}`),
    list: (scope, after, limit) =>
      one(sql`SELECT ${stored} FROM ${BATCHES} WHERE ${scopeIs(scope)} AND name > ${after}
        ORDER BY name LIMIT ${raw(`${limit}`)}`),
    unfinished: (after, limit) => {
      // A page of each state, each in the order of its index.
      const pages = UNFINISHED.map(
        (
          state,
        ) => sql`SELECT * FROM (SELECT * FROM ${BATCHES} WHERE state = ${state} AND batch_load > ${after}
          ORDER BY batch_load LIMIT ${raw(`${limit}`)}) AS ${raw(state)}`,
      );
      return one(sql`SELECT ${stored} FROM (${joined(pages, ' UNION ALL ')}) AS pages
        ORDER BY batch_load LIMIT ${raw(`${limit}`)}`);
    },
    withDigest: (key, digest, limit) =>
      one(sql`SELECT name FROM ${BATCHES} WHERE ${scopeIs(key)} AND digest = ${digest} AND name <> ${key.batch}
        ORDER BY name LIMIT ${raw(`${limit}`)}`),
    purgeable: (olderThanMs, limit) => old(stored, 'NOT EXISTS', olderThanMs, limit),
    kept: (olderThanMs, limit) =>
      old(raw('account, environment, name, COUNT(*) OVER () AS kept'), 'EXISTS', olderThanMs, limit),
    orphans: (limit) =>
      one(sql`SELECT DISTINCT c.batch_load FROM ${COUNTS} AS c
        WHERE NOT EXISTS (SELECT 1 FROM ${BATCHES} WHERE ${BATCHES}.batch_load = c.batch_load) LIMIT ${raw(`${limit}`)}`),
    events: (key, after, limit) =>
      one(sql`SELECT number, at AS at_ms, action, actor, details FROM ${EVENTS}
        WHERE ${keyIs(key)} AND number > ${after} ORDER BY number LIMIT ${raw(`${limit}`)}`),
  };
}

function writingBatches(
  dialect: PortableDialect,
): Pick<BatchesOnly, 'create' | 'replace' | 'remove' | 'append'> {
  const { now } = dialect;
  const atomic = (...steps: readonly SqlStep[]): SqlScript => ({ atomic: true, steps });
  return {
    create: (record, event) => {
      const version = newVersion();
      const own = ownRow(now, record, version);
      return atomic(
        insertion(dialect, record, version),
        own,
        (results) =>
          results[1]?.rows.length === 1 ? nextEvent(raw('updated_at'), record, event) : undefined,
        own,
      );
    },
    replace: (version, record, event) => {
      const next = newVersion();
      const { load, state, digest = null, details } = record;
      return atomic(
        sql`UPDATE ${BATCHES} SET batch_load = ${load}, state = ${state}, digest = ${digest},
            details = ${toSqlText(details)}, version = ${next}, events = events + 1, updated_at = ${now}
          WHERE ${keyIs(record)} AND version = ${version}`,
        ifDone(nextEvent(raw('updated_at'), record, event)),
        ownRow(now, record, next),
      );
    },
    remove: (key, version) =>
      atomic(
        sql`DELETE FROM ${BATCHES} WHERE ${keyIs(key)} AND version = ${version}`,
        ifDone(sql`DELETE FROM ${EVENTS} WHERE ${keyIs(key)}`),
        raw('SELECT 1 AS removed'),
      ),
    append: (key, event) =>
      atomic(
        sql`UPDATE ${BATCHES} SET events = events + 1, updated_at = ${now} WHERE ${keyIs(key)}`,
        ifDone(nextEvent(raw('updated_at'), key, event)),
      ),
  };
}

/** The next step, unless the first one changed no row. */
function ifDone(next: SqlPiece): SqlStep {
  return ([first]) => ((first?.rowCount ?? 0) > 0 ? next : undefined);
}

function storedColumns(now: SqlPiece): SqlPiece {
  return sql`account, environment, name, batch_load, state, digest, details, version AS version_text,
    created_at AS created_ms, updated_at AS updated_ms, ${now} AS now_ms`;
}

function ownRow(now: SqlPiece, key: BatchKey, version: number): SqlPiece {
  return sql`SELECT ${storedColumns(now)} FROM ${BATCHES} WHERE ${keyIs(key)} AND version = ${version}`;
}

/** Keeps an existing row. */
function insertion({ now, keepExisting }: PortableDialect, record: BatchRecord, version: number): SqlPiece {
  const { account, environment, batch, load, state, digest = null, details } = record;
  return sql`INSERT INTO ${BATCHES} (account, environment, name, batch_load, state, digest, details, version, events,
      created_at, updated_at)
    VALUES (${account}, ${environment}, ${batch}, ${load}, ${state}, ${digest}, ${toSqlText(details)}, ${version}, 1,
      ${now}, ${now})
    ${keepExisting(TABLES.batches, KEY)}`;
}

/** Writes the entry that the row of the batch has counted. The lock of that row keeps others from the number. */
function nextEvent(at: SqlPiece, key: BatchKey, { action, by, details }: BatchEvent): SqlPiece {
  return sql`INSERT INTO ${EVENTS} (account, environment, name, number, at, action, actor, details)
    SELECT account, environment, name, events, ${at}, ${action}, ${toSqlText(by)}, ${toSqlText(details)}
    FROM ${BATCHES} WHERE ${keyIs(key)}`;
}

function scopeIs({ account, environment }: InboxScope): SqlPiece {
  return sql`account = ${account} AND environment = ${environment}`;
}

function keyIs(key: BatchKey): SqlPiece {
  return sql`${scopeIs(key)} AND name = ${key.batch}`;
}
