import { readFile } from 'node:fs/promises';
import { type NameMatch } from 'nestjs-payments/batches';
import { writePrivately } from '../private-file.js';

/** A checked row. */
export interface CheckedLine {
  readonly line: number;
  readonly reference: string;
  readonly amount: string;
  /** `recipientKey` of the recipient. */
  readonly recipient: string;
  /** `sent`: the money is out, so the other fields keep their earlier values. */
  readonly name: NameMatch | 'sent';
  /** The holder's name at the gateway. */
  readonly holder: string;
  /** The network of a phone, which only the gateway knows: numbers move from one to another. */
  readonly network?: string;
}

/** The input of `pay`. */
export interface CheckReport {
  readonly version: 1;
  readonly fingerprint: string;
  readonly gateway: string;
  /** ISO 8601. */
  readonly checkedAt: string;
  readonly lines: readonly CheckedLine[];
}

export async function writeReport(file: string, report: CheckReport): Promise<void> {
  await writePrivately(file, `${JSON.stringify(report, null, 2)}\n`);
}

/** Undefined if there is no report that this version can read. */
export async function readReport(file: string): Promise<CheckReport | undefined> {
  try {
    const report = JSON.parse(await readFile(file, 'utf8')) as Partial<CheckReport> | null;
    return report?.version === 1 && Array.isArray(report.lines) ? (report as CheckReport) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
