import { type Pool } from 'pg';
import { type Step } from './steps.js';

/** Has PostgreSQL write down each change of the inbox's entries, in the transaction that makes it. */
const WRITE_DOWN = `
  CREATE TABLE steps (
    id bigserial, reference text NOT NULL, outcome text NOT NULL, state text NOT NULL, owner text NOT NULL,
    attempt integer NOT NULL, finished json NOT NULL, changed_at float8 NOT NULL, lease_until float8 NOT NULL
  );
  CREATE FUNCTION write_step() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE entry payments_inbox := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    BEGIN
      IF entry.kind = 'outcome' THEN
        INSERT INTO steps (reference, outcome, state, owner, attempt, finished, changed_at, lease_until)
        VALUES (entry.reference, replace(entry.event, 'payment.', ''),
          CASE TG_OP WHEN 'DELETE' THEN 'gone' ELSE entry.state END, entry.fence::text, entry.attempt,
          to_json(entry.finished), extract(epoch FROM entry.changed_at) * 1000,
          extract(epoch FROM entry.lease_until) * 1000);
      END IF;
      RETURN NULL;
    END
  $$;
  CREATE TRIGGER write_step AFTER INSERT OR UPDATE OR DELETE ON payments_inbox
    FOR EACH ROW EXECUTE FUNCTION write_step()`;

export async function writeStepsDown(pool: Pool): Promise<void> {
  await pool.query(WRITE_DOWN);
}

export async function postgresSteps(pool: Pool): Promise<Step[]> {
  const { rows } = await pool.query<Step>(
    `SELECT reference, outcome, state, owner, attempt, finished, changed_at AS "changedAt", lease_until AS "leaseUntil"
     FROM steps ORDER BY id`,
  );
  return rows;
}

/**
 * How many rows were last written in a transaction that wrote another one, too.
 *
 * @param rows The table, and which of its rows count: a purge takes many at once.
 */
export async function sharedCommits(
  pool: Pool,
  rows: 'payments_journal' | "steps WHERE state = 'running'",
): Promise<number> {
  const { rows: counted } = await pool.query<{ readonly shared: number }>(
    `SELECT (count(*) - count(DISTINCT xmin::text))::integer AS shared FROM ${rows}`,
  );
  return counted[0]?.shared ?? 0;
}
