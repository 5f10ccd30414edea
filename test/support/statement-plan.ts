import { type Pool } from 'pg';
import { type AskedStatement } from './watched-pool.js';

/** What PostgreSQL tells about one step of a plan that it ran. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How a statement reads a table. */
export interface TableReading {
  /** What PostgreSQL calls each step that reads it, for example `Index Scan`. */
  readonly steps: readonly string[];
  /** How many rows these steps read, also those that they dropped. */
  readonly rows: number;
}

/** The steps of a reading that goes through indexes alone. */
export const THROUGH_AN_INDEX = /^(Index (Only )?|Bitmap Heap )Scan$/;

/** Runs a statement again, takes back what it wrote, and says how it read a table. */
export async function readingOf(
  pool: Pool,
  statement: AskedStatement | undefined,
  table: string,
): Promise<TableReading> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{
      readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
    }>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement?.text ?? ''}`, statement?.values);
    const steps = rows
      .flatMap((row) => row['QUERY PLAN'])
      .flatMap(({ Plan }) => withChildren(Plan))
      .filter((step) => step['Relation Name'] === table && step['Node Type'] !== 'ModifyTable');
    const read = steps.map(
      (step) => (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops'],
    );
    return {
      steps: steps.map((step) => step['Node Type']),
      rows: read.reduce((sum, count) => sum + count, 0),
    };
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

function withChildren(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}
