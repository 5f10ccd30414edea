import { type Pool } from 'pg';
import { recipientKey, type SalaryRow } from '../salaries/salary-row.js';
import { type Settings } from '../settings.js';
import { SCHEMA } from './journal-schema.js';

const TABLE = `${SCHEMA}.sent_lines`;
/** The salaries of two months are further apart. */
const LATELY = '20 days';

/** A line to send. Only the journal knows its outcome. */
export interface SentLine {
  readonly run: string;
  readonly reference: string;
  /** `recipientKey` of the recipient. */
  readonly recipient: string;
}

export async function createSentLines(pool: Pool): Promise<void> {
  await pool.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    environment text NOT NULL, run text NOT NULL, reference text NOT NULL,
    recipient text NOT NULL, sent_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (environment, run, reference))`);
}

/**
 * The recipients of each run. It is in the journal's database, not in the folder, so that every file, folder
 * and machine finds it.
 */
export class SentLines {
  constructor(
    private readonly pool: Pool,
    private readonly settings: Pick<Settings, 'environment'>,
  ) {}

  /** Stores lines before sending them. */
  async note(run: string, rows: readonly SalaryRow[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO ${TABLE} (environment, run, reference, recipient)
       SELECT $1, $2, reference, recipient FROM unnest($3::text[], $4::text[]) AS line (reference, recipient)
       ON CONFLICT (environment, run, reference) DO UPDATE SET recipient = excluded.recipient, sent_at = now()`,
      [
        this.settings.environment,
        run,
        rows.map(({ reference }) => reference),
        rows.map(({ recipient }) => recipientKey(recipient)),
      ],
    );
  }

  async ofRun(run: string): Promise<readonly SentLine[]> {
    const { rows } = await this.pool.query<SentLine>(
      `SELECT run, reference, recipient FROM ${TABLE} WHERE environment = $1 AND run = $2 ORDER BY reference`,
      [this.settings.environment, run],
    );
    return rows;
  }

  /** Recent lines of other runs to the same accounts and phones. */
  async inOtherRuns(run: string, rows: readonly SalaryRow[]): Promise<readonly SentLine[]> {
    const { rows: found } = await this.pool.query<SentLine>(
      `SELECT run, reference, recipient FROM ${TABLE}
       WHERE environment = $1 AND run <> $2 AND recipient = ANY ($3::text[]) AND sent_at > now() - interval '${LATELY}'
       ORDER BY sent_at, run, reference`,
      [this.settings.environment, run, rows.map(({ recipient }) => recipientKey(recipient))],
    );
    return found;
  }
}
