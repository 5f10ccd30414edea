/**
 * Any text in a form that PostgreSQL takes: it refuses U+0000, and a driver would write every lone surrogate
 * as the same replacement character. Different texts stay different; most stay as they are.
 */
export function toSqlText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromSqlText(stored: string): string {
  return stored.includes('\\') ? (JSON.parse(`"${stored}"`) as string) : stored;
}

/** A text as an expression of SQL: as hex digits it cannot be anything else, whatever the server's settings are. */
export function textLiteral(text: string): string {
  return `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`;
}

/** How long a statement waits for a row that another transaction changes; less than the answer to it may take. */
const LOCK_WITHIN_MS = 2_000;

/**
 * The first part of a statement that writes: one moment for all its times, and two settings that end with the
 * transaction.
 *
 * - Its waiting for locks has a limit: the server would go on waiting, and then write, for a caller who is gone.
 * - What it commits is on the disk before that is believed, also where `synchronous_commit` is off: a server
 *   that crashed would have forgotten a payment that was sent, or a webhook that was answered.
 */
export const MOMENT = `moment AS (
  SELECT clock_timestamp() AS now, set_config('lock_timeout', '${LOCK_WITHIN_MS}', true),
    set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)
)`;

/** So many milliseconds as an interval. */
export function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

/** A time as the text of its milliseconds since 1970: applications change how a driver reads numbers and dates. */
export function epochText(time: string): string {
  return `(extract(epoch FROM ${time}::timestamptz(3)) * 1000)::bigint::text`;
}
