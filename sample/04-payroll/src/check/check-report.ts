import { readFile } from 'node:fs/promises';
import { type NameMatch } from '../names/compare-names.js';
import { writePrivately } from '../private-file.js';

/** A row as it was checked. */
export interface CheckedLine {
  readonly line: number;
  readonly reference: string;
  readonly amount: string;
  /** `recipientKey` of where the money goes. */
  readonly recipient: string;
  /** `sent`: it is out, so the rest stands as it was found before. */
  readonly name: NameMatch | 'sent';
  /** The holder's name as the gateway has it. */
  readonly holder: string;
  /** The network of a phone, which only the gateway knows: numbers move from one to another. */
  readonly network?: string;
}

/** What `pay` goes by. */
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

/** Undefined where there is none that this version can read. */
export async function readReport(file: string): Promise<CheckReport | undefined> {
  try {
    const report = JSON.parse(await readFile(file, 'utf8')) as Partial<CheckReport> | null;
    return report?.version === 1 && Array.isArray(report.lines) ? (report as CheckReport) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
