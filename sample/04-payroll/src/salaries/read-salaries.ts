import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PayrollProblem } from '../payroll.problem.js';
import { readCsv } from './read-csv.js';
import { readRow } from './read-row.js';
import { recipientKey, type SalaryRow } from './salary-row.js';

export interface SalaryFile {
  readonly rows: readonly SalaryRow[];
  /** Changes with every byte of the file. */
  readonly fingerprint: string;
}

/** @throws PayrollProblem that lists all problems, by line. */
export async function openSalaries(file: string): Promise<SalaryFile> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new PayrollProblem(`${file} cannot be read (${String(code)}): name the file with the salaries.`);
  });
  return { rows: readSalaries(bytes), fingerprint: createHash('sha256').update(bytes).digest('hex') };
}

/** @throws PayrollProblem that lists all problems, by line. */
export function readSalaries(bytes: Uint8Array): readonly SalaryRow[] {
  const rows: SalaryRow[] = [];
  const problems: [line: number, problem: string][] = [];
  for (const raw of readCsv(bytes)) {
    const read = readRow(raw);
    if ('row' in read) rows.push(read.row);
    else problems.push(...read.problems.map((problem): [number, string] => [raw.line, problem]));
  }
  problems.push(
    ...repeated(rows, ({ reference }) => reference, 'has the reference'),
    ...repeated(rows, ({ recipient }) => recipientKey(recipient), 'goes to the account or phone'),
  );
  if (problems.length === 0) return rows;
  throw new PayrollProblem(
    'The file cannot be paid:',
    problems.sort(([one], [other]) => one - other).map(([line, problem]) => `line ${line}: ${problem}`),
  );
}

function repeated(
  rows: readonly SalaryRow[],
  keyOf: (row: SalaryRow) => string,
  what: string,
): readonly [number, string][] {
  const first = new Map<string, number>();
  return rows.flatMap((row): [number, string][] => {
    const key = keyOf(row);
    const before = first.get(key);
    if (before !== undefined) return [[row.line, `${what} of line ${before}`]];
    first.set(key, row.line);
    return [];
  });
}
