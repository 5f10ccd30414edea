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

/**
 * The first part of a writing statement: one moment for all its times, and two settings that end with the
 * transaction.
 *
 * - A lock timeout: otherwise the server would wait on and then write for a caller that has gone.
 * - A synchronous commit, even if `synchronous_commit` is off: otherwise a crashed server could forget a sent
 *   payment or an answered webhook.
 */
export const MOMENT = `moment AS (
  SELECT clock_timestamp() AS now,
    set_config('lock_timeout', coalesce(nullif(current_setting('${LOCK_SETTING}', true), ''), '${LOCK_WITHIN_MS}'), true),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)
)`;

/** The same in a transaction of the application: its settings are its own. */
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
