/** How long a statement waits for a row that another transaction changes; less than the answer to it may take. */
const LOCK_WITHIN_MS = 2_000;

/**
 * The first part of a statement that writes: one moment for all its times, and a limit to its waiting for locks, which ends
 * with the transaction. Without that limit the server would go on waiting, and then write, for a caller who is gone.
 */
export const MOMENT = `moment AS (
  SELECT clock_timestamp() AS now, set_config('lock_timeout', '${LOCK_WITHIN_MS}', true)
)`;

/** So many milliseconds as an interval. */
export function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

/** A time as the text of its milliseconds since 1970: applications change how a driver reads numbers and dates. */
export function epochText(time: string): string {
  return `(extract(epoch FROM ${time}::timestamptz(3)) * 1000)::bigint::text`;
}
