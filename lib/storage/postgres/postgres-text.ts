import { type NamedStatement } from './statement-batch.js';

/** A text as an SQL expression of hex digits, which no server setting can change. */
export function textLiteral(text: string): string {
  return `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`;
}

/** How long a statement waits for a row lock; less than the time limit of its answer. */
const LOCK_WITHIN_MS = 2_000;
/** The same if others share its transaction, and wait with it. */
const SHARED_LOCK_WITHIN_MS = 20;
/** Says so to the statements of a transaction. */
const LOCK_SETTING = 'nestjs_payments.lock_within';

/** The first statement of a transaction that operations share: one that has to wait for a lock fails soon, and runs alone. */
export const BRIEF_LOCKS: NamedStatement = {
  name: 'payments_brief_locks',
  // The lock timeout itself for those without a `MOMENT`, which may wait for the lock of a table.
  text: `SELECT set_config(setting, '${SHARED_LOCK_WITHIN_MS}', true) FROM unnest(ARRAY['lock_timeout', '${LOCK_SETTING}']) AS setting`,
  values: [],
};

const LOCK_TIMEOUT = `coalesce(nullif(current_setting('${LOCK_SETTING}', true), ''), '${LOCK_WITHIN_MS}')`;

/**
 * A setting that lasts until the end of the handlers' transaction, to notice a transaction that a handler ended.
 */
export const MARK = 'nestjs_payments.claim';

/** A caller has gone after four seconds, which began a little before the server's. */
const CALLER_WAITS_MS = 3_500;
/** No value of a setting, so that PostgreSQL refuses it and undoes the statement. The server's log has it. */
export const TOO_LATE = 'waited too long for a table';

/**
 * How long the caller of a statement still waits. The server waits for the lock of a table while it reads a statement, before any
 * part of it runs, and with parameters `statement_timestamp()` is later than that. `transaction_timestamp()` is not: outside
 * of a transaction it is when the server got the statement.
 */
const LEFT_MS = `(${CALLER_WAITS_MS} - extract(epoch FROM pg_catalog.clock_timestamp() - transaction_timestamp()) * 1000)::integer`;
/**
 * The handlers' transaction, which has the mark, began long before. It needs no limit: a statement whose caller has gone fails its
 * delivery, which is rolled back.
 */
const IS_LIMITED = `coalesce(current_setting('${MARK}', true), '') = ''`;

/** @param lockTimeout An expression. */
function momentWith(lockTimeout: string): string {
  return `moment AS (
  SELECT clock_timestamp() AS now,
    set_config('lock_timeout', ${lockTimeout}, true),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)
)`;
}

/**
 * The first part of a writing statement: one moment for all its times, and two settings that end with the
 * transaction.
 *
 * - A lock timeout: otherwise the server would wait on for a row and then write for a caller that has gone.
 * - A synchronous commit, even if `synchronous_commit` is off: otherwise a crashed server could forget a sent
 *   payment or an answered webhook.
 *
 * A statement that waited long for a table still runs. So it must do no harm without its caller: it writes down what has
 * happened, changes only what its caller saw (version, fence), or may run twice.
 */
export const MOMENT = momentWith(LOCK_TIMEOUT);

/**
 * The same for what begins something that its caller has to end: an attempt, a claim, the lines of a batch. If the caller has
 * gone, having been told that nothing was done, the statement fails and does nothing.
 *
 * @param begins A condition: whether it does.
 */
export function timelyMoment(begins = 'true'): string {
  // The wait for a row comes after that for the table.
  const inTime = `CASE WHEN ${LEFT_MS} > 0 THEN least(${LEFT_MS}, ${LOCK_TIMEOUT}::integer)::text ELSE '${TOO_LATE}' END`;
  return momentWith(`CASE WHEN ${begins} AND ${IS_LIMITED} THEN ${inTime} ELSE ${LOCK_TIMEOUT} END`);
}

/** The same in a transaction of the application: its settings are its own, and its COMMIT ends what began. */
export const MOMENT_ALONE = 'moment AS (SELECT clock_timestamp() AS now)';

/** Milliseconds as an interval. */
export function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

/**
 * A time as the text of its milliseconds since 1970: applications change how a driver parses numbers and
 * dates.
 */
export function epochText(time: string): string {
  return `(extract(epoch FROM ${time}::timestamptz(3)) * 1000)::bigint::text`;
}
