import { type BatchEvent, type BatchKey, type BatchRecord } from '../batch-store.js';
import { statement } from '../sql/sql-database.js';
import { type BatchStatements } from '../sql/batch-statements.js';
import { toSqlText } from '../sql/sql-text.js';
import { batchLineStatements } from './batch-line-statements.js';
import { LISTED } from './index-conditions.js';
import { epochText, milliseconds, MOMENT, timelyMoment } from './postgres-text.js';
import { nextOf, type TableNames } from './table-names.js';

/** Every column of a batch `b`. */
const STORED = `b.account, b.environment, b.name, b.batch_load, b.state, b.digest, b.details, b.version::text AS version_text,
    ${epochText('b.created_at')} AS created_ms, ${epochText('b.updated_at')} AS updated_ms,
    ${epochText('clock_timestamp()')} AS now_ms`;
const IS_BATCH = 'account = $1 AND environment = $2 AND name = $3';

/** The operations of batches, each in one statement. */
export function batchStatements(names: TableNames): BatchStatements {
  return {
    ...readingBatches(names),
    ...writingBatches(names),
    ...ofPurge(names),
    ...ofEvents(names),
    ...batchLineStatements(names),
  };
}

function readingBatches({
  batches,
}: TableNames): Pick<BatchStatements, 'get' | 'list' | 'unfinished' | 'withDigest'> {
  return {
    get: (key) => statement(`SELECT ${STORED} FROM ${batches} b WHERE ${IS_BATCH}`, keyValues(key)),
    list: ({ account, environment }, after, limit) =>
      statement(
        `SELECT ${STORED} FROM ${batches} b WHERE account = $1 AND environment = $2 AND name > $3 ORDER BY name LIMIT $4`,
        [account, environment, after, limit],
      ),
    unfinished: (after, limit) =>
      statement(
        `SELECT ${STORED} FROM ${batches} b WHERE state IN ('checking', 'running', 'paused') AND batch_load > $1
          ORDER BY batch_load LIMIT $2`,
        [after, limit],
      ),
    withDigest: (key, digest, limit) =>
      statement(
        `SELECT name FROM ${batches} WHERE account = $1 AND environment = $2 AND ${LISTED} AND name <> $3 AND digest = $4
          ORDER BY name LIMIT $5`,
        [...keyValues(key), digest, limit],
      ),
  };
}

function writingBatches({
  batches,
  batchEvents,
  versions,
}: TableNames): Pick<BatchStatements, 'create' | 'replace' | 'remove'> {
  return {
    create: (record, event) =>
      statement(
        `WITH ${timelyMoment()}, b AS (
          INSERT INTO ${batches} (account, environment, name, batch_load, state, digest, details, version, events,
            created_at, updated_at)
          SELECT $1, $2, $3, $4, $5, $6, $7, ${nextOf(versions)}, 1, now, now FROM moment
          ON CONFLICT (account, environment, name) DO NOTHING RETURNING *
        ), noted AS (
          INSERT INTO ${batchEvents} (account, environment, name, number, at, action, actor, details)
          SELECT $1, $2, $3, 1, b.created_at, $8, $9, $10 FROM b
        )
        SELECT ${STORED} FROM b`,
        [...valuesOf(record), ...eventValues(event)],
      ),
    replace: (version, record, event) =>
      statement(
        `WITH ${MOMENT}, b AS (
          UPDATE ${batches} SET batch_load = $4, state = $5, digest = $6, details = $7, version = ${nextOf(versions)},
            events = events + 1, updated_at = now
          FROM moment WHERE ${IS_BATCH} AND version = $11 RETURNING ${batches}.*
        ), noted AS (
          INSERT INTO ${batchEvents} (account, environment, name, number, at, action, actor, details)
          SELECT $1, $2, $3, b.events, b.updated_at, $8, $9, $10 FROM b
        )
        SELECT ${STORED} FROM b`,
        [...valuesOf(record), ...eventValues(event), version],
      ),
    remove: (key, version) =>
      statement(
        `WITH ${MOMENT}, b AS (
          DELETE FROM ${batches} USING moment WHERE ${IS_BATCH} AND version = $4 RETURNING name
        ), noted AS (
          DELETE FROM ${batchEvents} WHERE ${IS_BATCH} AND EXISTS (SELECT 1 FROM b)
        )
        SELECT name FROM b`,
        [...keyValues(key), version],
      ),
  };
}

function ofPurge({
  batches,
  batchCounts,
}: TableNames): Pick<BatchStatements, 'purgeable' | 'kept' | 'orphans'> {
  const old = (columns: string, openLines: 'EXISTS' | 'NOT EXISTS', olderThanMs: number, limit: number) =>
    statement(
      `SELECT ${columns} FROM ${batches} b WHERE b.state IN ('loading', 'ended', 'cancelled')
          AND b.updated_at < clock_timestamp() - ${milliseconds('$1')}
          AND ${openLines} (SELECT 1 FROM ${batchCounts} c
            WHERE c.batch_load = b.batch_load AND c.state IN ('sending', 'unknown') AND c.line_count > 0)
          ORDER BY b.updated_at LIMIT $2`,
      [olderThanMs, limit],
    );
  return {
    purgeable: (olderThanMs, limit) => old(STORED, 'NOT EXISTS', olderThanMs, limit),
    kept: (olderThanMs, limit) =>
      old('b.account, b.environment, b.name, (count(*) OVER ())::text AS kept', 'EXISTS', olderThanMs, limit),
    orphans: (limit) =>
      statement(
        `SELECT DISTINCT c.batch_load FROM ${batchCounts} c
          WHERE NOT EXISTS (SELECT 1 FROM ${batches} b WHERE b.batch_load = c.batch_load) LIMIT $1`,
        [limit],
      ),
  };
}

function ofEvents({ batches, batchEvents }: TableNames): Pick<BatchStatements, 'append' | 'events'> {
  return {
    // The row of the batch counts its events, so that their numbers have no gaps.
    append: (key, event) =>
      statement(
        `WITH ${MOMENT}, b AS (
          UPDATE ${batches} SET events = events + 1, updated_at = now FROM moment WHERE ${IS_BATCH} RETURNING events, updated_at AS at
        )
        INSERT INTO ${batchEvents} (account, environment, name, number, at, action, actor, details)
        SELECT $1, $2, $3, b.events, b.at, $4, $5, $6 FROM b
        RETURNING number::text AS number`,
        [...keyValues(key), ...eventValues(event)],
      ),
    events: (key, after, limit) =>
      statement(
        `SELECT e.number::text AS number, ${epochText('e.at')} AS at_ms, e.action, e.actor, e.details FROM ${batchEvents} e
          WHERE ${IS_BATCH} AND e.number > $4 ORDER BY e.number LIMIT $5`,
        [...keyValues(key), after, limit],
      ),
  };
}

function keyValues({ account, environment, batch }: BatchKey): readonly string[] {
  return [account, environment, batch];
}

function valuesOf(record: BatchRecord): readonly unknown[] {
  const { load, state, digest = null, details } = record;
  return [...keyValues(record), load, state, digest, toSqlText(details)];
}

function eventValues({ action, by, details }: BatchEvent): readonly string[] {
  return [action, toSqlText(by), toSqlText(details)];
}
