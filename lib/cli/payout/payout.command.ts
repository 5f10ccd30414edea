import { printable } from '../../common/printable.js';
import { isPaymentsError, PaymentsError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext } from '../command.js';
import { checkBatch } from './check-batch.js';
import { acceptLines, approveBatch, askAgain, cancelBatch, settleLines } from './decide-batch.js';
import { EXIT } from './exit-code.js';
import { commandLine, type PayoutSession, withSession } from './payout-session.js';
import { PAYOUT_OPTIONS } from './payout-options.js';
import { type PayoutAction, readArguments } from './payout-arguments.js';
import { listBatches, reportBatch } from './report-batch.js';
import { runBatch } from './run-batch.js';

const ACTIONS: Readonly<Record<PayoutAction, (session: PayoutSession) => Promise<number>>> = {
  check: checkBatch,
  accept: acceptLines,
  approve: approveBatch,
  run: runBatch,
  'ask-again': askAgain,
  settle: settleLines,
  report: reportBatch,
  cancel: cancelBatch,
  list: listBatches,
};

/** `nestjs-payments payout` */
export const payoutCommand: Command = {
  name: 'payout',
  synopsis: '<file.csv> --check | --approve | --run | --report [options]',
  summary: 'pay the lines of a CSV file, each once: checked, approved by another person, resumable',
  about: [
    'Loads a file of payouts, looks every recipient up, has it approved by another person, and pays every line once,',
    'however often it is stopped. Keys come from the variables of the application. Batches are written down in the',
    'database of DATABASE_URL, else in payouts.db (SQLite, Node.js 22.13 or newer) or payouts.pglite (PGlite) here.',
    '',
    'One other person approves, and any hour will do: the policy of an application (two approvals, windows, limits) does',
    'not bind this command, even in the same database. With live keys, --run moves real money and asks nobody.',
    '',
    'Exit codes of every step: 0 fine, 1 the lines, the check or the configuration is wrong, or lines are blocked, 2 the',
    'command line is wrong or names no file. --run, --ask-again, --settle and --report also say where the batch is:',
    '3 some outcomes are unknown, 4 it has not come to its end, 5 some lines were refused, failed, left out as blocked,',
    'never looked up or never sent. --cancel and --list: 3 some outcomes are unknown, of the batch or of one of the batches.',
  ].join('\n'),
  options: PAYOUT_OPTIONS,
  examples: [
    'payout salaries.csv --check --by john',
    'payout salaries.csv --accept S-004 --because "married, new name" --by john',
    'payout salaries.csv --approve --by mary --digest 5f2c…',
    'payout salaries.csv --run --by john',
    'payout salaries.csv --report --format csv --out paid.csv',
  ],
  run: runPayout,
};

async function runPayout(words: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseCommandLine(words, PAYOUT_OPTIONS, { positionals: true });
  const args = readArguments(values, positionals);
  return withSession(args, context, async (session) => {
    try {
      return await ACTIONS[args.action](session);
    } catch (error) {
      if (error instanceof PaymentsValidationError) return explainLines(error, context);
      throw await inWordsOfCommands(error, session);
    }
  });
}

/** One problem a line, as a file has many. */
function explainLines({ errors }: PaymentsValidationError, { terminal }: CommandContext): number {
  const problems = Object.values(errors).flat();
  terminal.say(terminal.paint('red', 'Nothing was done:'));
  for (const problem of problems) terminal.say(`  ${printable(problem)}`);
  return EXIT.problem;
}

const INSTEAD: Readonly<Record<string, string>> = {
  loaded: '--check --by <person>',
  checking: '--check --by <person>',
  checked: '--approve --by <person> --digest <digest>',
  approved: '--run --by <person>',
  paused: '--run --by <person>',
};

/** The package's own message says which method to call. */
async function inWordsOfCommands(error: unknown, { args, batches }: PayoutSession): Promise<unknown> {
  if (!isPaymentsError(error)) return error;
  if (error.code === 'BATCH_CHECK') {
    const [, ...reason] = error.message.split(': ');
    return new PaymentsError(
      error.code,
      `The check stopped, and the same command continues: ${reason.join(': ')}`,
    );
  }
  if (error.code !== 'BATCH_STATE') return error;
  const { state } = await (await batches.open(args.batch)).progress();
  const instead = INSTEAD[state];
  return new PaymentsError(
    error.code,
    `The batch "${args.batch}" is ${state}, so --${args.action} does nothing${instead === undefined ? '.' : `. First: ${commandLine(args, instead)}`}`,
  );
}
