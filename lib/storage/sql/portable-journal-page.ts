import { JOURNAL_STATES, type JournalState } from '../../common/vocabulary.js';
import { type PageStart } from './sql-statements.js';
import { joined, raw, sql, type SqlPiece } from './sql-template.js';

const IN_ORDER = JOURNAL_STATES.toSorted();
/** What is between two states: those that only another build knows, or damaged ones. As a rule there are none. */
const OTHER_STATES = [
  `state < '${IN_ORDER[0] ?? ''}'`,
  ...IN_ORDER.map((state, index) => {
    const next = IN_ORDER[index + 1];
    return `state > '${state}'${next === undefined ? '' : ` AND state < '${next}'`}`;
  }),
];

/**
 * A page of each state, each in the order of its index, and the first of them all. All in one statement, which sees one
 * moment: a payment that changes its state meanwhile is on one page.
 */
export function journalPage(
  payments: SqlPiece,
  except: readonly JournalState[],
  { createdAt, id }: PageStart,
  limit: number,
): SqlPiece {
  const [after, afterId] = [Number(createdAt), Number(id)];
  const known = JOURNAL_STATES.filter((state) => !except.includes(state));
  const pages = [...known.map((state) => `state = '${state}'`), ...OTHER_STATES].map(
    (isInState, index) => sql`SELECT * FROM (
      SELECT ${payments} AND ${raw(isInState)}
        AND created_at >= ${after} AND (created_at > ${after} OR id > ${afterId})
      ORDER BY created_at, id LIMIT ${raw(`${limit}`)}) AS ${raw(`page${index}`)}`,
  );
  return sql`SELECT * FROM (${joined(pages, ' UNION ALL ')}) AS pages ORDER BY created_ms, id_text LIMIT ${raw(`${limit}`)}`;
}
