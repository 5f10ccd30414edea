import { type CheckedLine, type CheckReport } from '../check/check-report.js';
import { PayrollProblem } from '../payroll.problem.js';
import { type SalaryFile } from '../salaries/read-salaries.js';
import { type SalaryRow } from '../salaries/salary-row.js';

/** Look up names shortly before sending the money: accounts change hands. */
const LONGEST_AGE_MS = 24 * 3_600_000;

/** A row with the result of its check. */
export interface ApprovedLine {
  readonly row: SalaryRow;
  readonly checked: CheckedLine;
}

/**
 * The rows of the file, if they equal the checked ones.
 *
 * @throws PayrollProblem if they must be checked again.
 */
export function approvedLines(
  { rows, fingerprint }: SalaryFile,
  report: CheckReport | undefined,
  { gateway, now }: { readonly gateway: string; readonly now: number },
): readonly ApprovedLine[] {
  if (!report) throw new PayrollProblem('This run was not checked: run payroll check first.');
  if (report.fingerprint !== fingerprint) {
    throw new PayrollProblem('The file is not the one that was checked: run payroll check again.');
  }
  if (report.gateway !== gateway) {
    throw new PayrollProblem('The file was checked at another gateway: run payroll check again.');
  }
  if (!(now - Date.parse(report.checkedAt) < LONGEST_AGE_MS)) {
    throw new PayrollProblem('The check is older than 24 hours: run payroll check again.');
  }
  const checked = new Map(report.lines.map((line) => [line.line, line]));
  return rows.flatMap((row) => {
    const line = checked.get(row.line);
    return line ? [{ row, checked: line }] : [];
  });
}

/**
 * @param lines The lines still to send.
 * @param accepted Lines for which the operator accepts a different name.
 * @throws PayrollProblem if a different name was not accepted.
 */
export function demandAcceptedNames(lines: readonly ApprovedLine[], accepted: readonly number[]): void {
  const open = lines.filter(
    ({ row, checked }) => checked.name === 'different' && !accepted.includes(row.line),
  );
  if (open.length === 0) return;
  throw new PayrollProblem(
    'Nothing was sent: correct these names and check again, or accept each with --accept <line>.',
    open.map(
      ({ row, checked }) => `line ${row.line}: ${row.name} in the file, ${checked.holder} holds the account`,
    ),
  );
}

/** @throws PayrollProblem if an accepted line needs no acceptance: the operator may mean another one. */
export function demandNeededAccepts(lines: readonly ApprovedLine[], accepted: readonly number[]): void {
  const mayDiffer = lines.filter(({ checked }) => checked.name === 'different' || checked.name === 'sent');
  const needless = accepted.filter((line) => !mayDiffer.some(({ row }) => row.line === line));
  if (needless.length === 0) return;
  throw new PayrollProblem(
    `Nothing was sent: no names differ in line ${needless.join(', ')}, which --accept names.`,
  );
}
