import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import '../../../test/support/pglite-template.js';
import { type JournalDatabase, openJournal } from '../src/journal/journal-database.js';
import { Settings } from '../src/settings.js';
import { Screen } from '../src/console/screen.js';
import { runPayroll } from '../src/payroll.js';

export const HEAD = 'reference,name,amount,bank_code,account_number,phone,remarks';

/** The file that comes with the sample. */
export const SAMPLE_FILE = join(import.meta.dirname, '..', 'salaries.csv');

/** A folder with salary files, and the program beside it. */
export class PayrollDesk {
  private journal: JournalDatabase | undefined;

  private constructor(readonly folder: string) {}

  static async open(): Promise<PayrollDesk> {
    return new PayrollDesk(await mkdtemp(join(tmpdir(), 'payroll-')));
  }

  /** Points the program, and every process that it starts in, to an emulator. */
  environment(sandbox: PaymentsSandbox): NodeJS.ProcessEnv {
    return {
      PAYMENTS_BASE_URL: sandbox.baseUrl,
      PAYMENTS_API_KEY: 'pk_test_demo',
      PAYMENTS_API_SECRET: 'sk_test_demo',
      // The journal is in the folder: tests must not use the developer's database.
      DATABASE_URL: '',
      PAYROLL_FOLDER: join(this.folder, 'data'),
      PAYROLL_PER_SECOND: '999',
      NO_COLOR: '1',
    };
  }

  async write(name: string, rows: readonly string[]): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, `${[HEAD, ...rows].join('\n')}\n`);
    return file;
  }

  /** A file that the program wrote. */
  read(name: string): Promise<string> {
    return readFile(join(this.folder, 'data', name), 'utf8');
  }

  async change(name: string, change: (text: string) => string): Promise<void> {
    await writeFile(join(this.folder, 'data', name), change(await this.read(name)));
  }

  async run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const output = { out: '', err: '' };
    const screen = new Screen(
      { write: (text: string) => (output.out += text) },
      { write: (text: string) => (output.err += text) },
    );
    const journal = await this.openJournal();
    const code = await runPayroll(args, screen, () =>
      Promise.resolve({ ...journal, close: () => Promise.resolve() }),
    );
    return { code, ...output };
  }

  /** Ages the journal by ten minutes. */
  async pass(): Promise<void> {
    await letPass((await this.openJournal()).pool);
  }

  /** Ages the sent lines by a month. */
  async passMonth(): Promise<void> {
    const { pool } = await this.openJournal();
    await pool.query("UPDATE payroll.sent_lines SET sent_at = sent_at - interval '30 days'");
  }

  /** Opens the journal once for all runs, because opening takes longer than a run. */
  async openJournal(): Promise<JournalDatabase> {
    return (this.journal ??= await openJournal(new Settings(process.env)));
  }

  async close(): Promise<void> {
    await this.journal?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Ages the journal by ten minutes. Only its times matter. */
export async function letPass(database: { query(text: string): Promise<unknown> }): Promise<void> {
  const ago = (column: string): string => `${column} = ${column} - interval '10 minutes'`;
  const columns = ['created_at', 'updated_at', 'attempt_at', 'lease_until'];
  await database.query(`UPDATE payroll.payments_journal SET ${columns.map(ago).join(', ')}`);
}
