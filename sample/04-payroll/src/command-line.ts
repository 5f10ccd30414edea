import { basename, extname } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT } from './exit-code.js';
import { PayrollProblem } from './payroll.problem.js';
import { isName } from './salaries/names.rule.js';

export const USAGE = `Usage: payroll <command> <salaries.csv> [options]

  check <file>              read the file, look every recipient up, compare with the wallet
  pay <file>                pay what was checked; the same command again goes on where it was
  settle <file> <reference> <outcome>
                            write down what the gateway's support says of a row: paid, failed or cancelled

Options:
  --run <name>     the month, for example 2026-11 (default: the file's name); it is part of every payment's reference
  --accept <line>  pay: this line may go to a holder with a different name; several times for several lines
  --again <run>    pay: those whom that run paid not long ago are to be paid once more; several times for several runs
  --help           show this

Exit codes: 0 fine, 1 the file, its check or the configuration is wrong, 2 the command line is wrong,
3 some outcomes are unknown, 4 stopped before the end or could not go on,
5 some lines were refused or failed.`;

const OUTCOMES = ['paid', 'failed', 'cancelled'] as const;

export type SettleOutcome = (typeof OUTCOMES)[number];

interface OfFile {
  readonly file: string;
  /** Part of every reference. */
  readonly run: string;
}

export type CheckOrder = OfFile & { readonly command: 'check' };
export type PayOrder = OfFile & {
  readonly command: 'pay';
  readonly accepted: readonly number[];
  readonly again: readonly string[];
};
export type SettleOrder = OfFile & {
  readonly command: 'settle';
  /** The row's own reference, because edits of the file move lines. */
  readonly reference: string;
  readonly outcome: SettleOutcome;
};

export type Order = { readonly command: 'help' } | CheckOrder | PayOrder | SettleOrder;

/** @throws PayrollProblem that says what to write instead. */
export function readOrder(args: readonly string[]): Order {
  const { values, positionals } = parsed(args);
  if (values.help) return { command: 'help' };
  const [command, file, ...rest] = positionals;
  if (command !== 'check' && command !== 'pay' && command !== 'settle') {
    throw wrong(command === undefined ? 'Which command?' : `There is no command '${command}'.`);
  }
  if (file === undefined) throw wrong(`${command} needs a file: payroll ${command} salaries.csv.`);
  if (command !== 'pay' && values.accept.length + values.again.length > 0) {
    throw wrong('--accept and --again belong to pay.');
  }
  const ofFile = { file, run: runName(values.run ?? basename(file, extname(file))) };
  if (command === 'settle') return { command, ...ofFile, ...settlement(rest) };
  if (rest.length > 0) throw wrong(`${command} takes one file.`);
  return command === 'check'
    ? { command, ...ofFile }
    : { command, ...ofFile, accepted: values.accept.map(lineNumber), again: values.again };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        run: { type: 'string' },
        accept: { type: 'string', multiple: true, default: [] },
        again: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function runName(run: string): string {
  if (isName(run)) return run;
  throw wrong(
    `'${run}' cannot name a run: write --run with letters, digits, - and _, for example --run 2026-11.`,
  );
}

function settlement([reference, outcome, ...more]: readonly string[]): Pick<
  SettleOrder,
  'reference' | 'outcome'
> {
  const known = OUTCOMES.find((one) => one === outcome);
  if (reference === undefined || known === undefined || more.length > 0) {
    throw wrong(
      'settle needs a staff number and what became of it: payroll settle salaries.csv S-007 paid (or failed, cancelled).',
    );
  }
  return { reference, outcome: known };
}

function lineNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw wrong(`'${text}' is no line of the file: write its number, as the check shows it.`);
}

function wrong(message: string): PayrollProblem {
  return new PayrollProblem(message, ['', USAGE], EXIT.usage);
}
