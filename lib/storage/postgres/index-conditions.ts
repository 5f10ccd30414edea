/**
 * A condition that every row meets. The indexes of lists and purges have it, so that only statements that name it use them.
 *
 * Without statistics (a new table, or after pg_upgrade), each index that begins with the account looks to PostgreSQL as good as
 * the primary key: it would read all payments of the account to find one by its reference.
 */
export const LISTED = "state <> ''";

/** The same for a tombstone. */
export const LISTED_TOMBSTONE = "ended <> ''";

/** The same for a webhook that was set aside. */
export const LISTED_CONFLICT = "kind <> ''";
