import { join } from 'node:path';
import { PayrollProblem } from './payroll.problem.js';

/** The program's own variables. */
export class Settings {
  /** The folder of reports, results and, without a named database, the journal. */
  readonly folder: string;
  readonly databaseUrl: string | undefined;
  /** Number of simultaneous payments and lookups. */
  readonly atOnce: number;
  readonly perSecond: number;
  /** The gateway's address: a check at one gateway does not count at another. */
  readonly gateway: string;
  /** The environment of the key. Payments of one environment do not count in the other. */
  readonly environment: 'production' | 'sandbox';

  constructor(environment: NodeJS.ProcessEnv) {
    this.folder = environment['PAYROLL_FOLDER']?.trim() || 'payroll-data';
    this.databaseUrl = environment['DATABASE_URL']?.trim() || undefined;
    this.atOnce = wholeNumber(environment, 'PAYROLL_AT_ONCE', 4);
    this.perSecond = wholeNumber(environment, 'PAYROLL_PER_SECOND', 5);
    this.gateway = environment['PAYMENTS_BASE_URL']?.trim() ?? '';
    const isLive = environment['PAYMENTS_API_KEY']?.trim().startsWith('pk_live_');
    this.environment = isLive ? 'production' : 'sandbox';
  }

  fileOf(run: string, what: 'check.json' | 'result.csv' | 'summary.csv'): string {
    return join(this.folder, `${run}.${what}`);
  }
}

function wholeNumber(environment: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = environment[name]?.trim() || String(fallback);
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new PayrollProblem(`${name} must be a whole number from 1 to 999: leave it out for ${fallback}.`);
}
