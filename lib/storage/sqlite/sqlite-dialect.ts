import { type PortableDialect } from '../sql/portable-dialect.js';
import { SMALL_BATCH } from '../sql/delete-in-batches.js';
import { raw, sql } from '../sql/sql-template.js';

/** The name of a function that each connection has: the storage's clock, the same throughout a statement. */
export const CLOCK = 'payments_now';

/** What SQLite writes in its own way. */
export const SQLITE: PortableDialect = {
  now: raw(`${CLOCK}()`),
  keepExisting: (_table, keys) => raw(`ON CONFLICT (${keys.join(', ')}) DO NOTHING`),
  takeOver: (_table, keys, columns, more) => {
    const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    const rest = more ? sql`, ${more}` : raw('');
    return sql`ON CONFLICT (${raw(keys.join(', '))}) DO UPDATE SET ${raw(changes)}${rest}`;
  },
  batch: SMALL_BATCH,
  deleteFirst: (table, _key, condition, order) => ({
    steps: [
      sql`DELETE FROM ${raw(table)} WHERE rowid IN
        (SELECT rowid FROM ${raw(table)} WHERE ${condition} ORDER BY ${raw(order)} LIMIT ${SMALL_BATCH})`,
    ],
  }),
  // There is one writer at a time.
  lockRows: raw(''),
  waitForRows: raw(''),
};
