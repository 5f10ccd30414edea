import { printable } from '../../common/printable.js';
import { isPaymentsError, PaymentsError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext } from '../command.js';
import { UsageError } from '../usage-error.js';
import { applyDay, closeDay } from './close-day.js';
import { explainException, listExceptions } from './exception-queue.js';
import { EXIT } from './exit-code.js';
import { previewFile } from './preview.js';
import { readBalance } from './read-balance.js';
import { type ReconcileSession, withSession } from './reconcile-session.js';
import { RECONCILE_OPTIONS } from './reconcile-options.js';
import { type ReconcileAction, readArguments } from './reconcile-arguments.js';
import { inWordsOfOptions } from './statement-file.js';

const ACTIONS: Readonly<
  Record<Exclude<ReconcileAction, 'preview'>, (session: ReconcileSession) => Promise<number>>
> = {
  day: closeDay,
  apply: applyDay,
  balance: readBalance,
  exceptions: listExceptions,
  explain: explainException,
};
/** What the package checks of an option, and how the command line calls it. */
const CALLED: Readonly<Record<string, string>> = {
  day: '--day',
  timeZone: '--time-zone',
  by: '--by',
  note: '--note',
};

/** `nestjs-payments reconcile` */
export const reconcileCommand: Command = {
  name: 'reconcile',
  synopsis: '--day <date> | --balance | --exceptions | --explain <id> [options]',
  summary: "close a day: the journal against the wallet's balance and the gateway's statement",
  about: [
    'Compares what the journal says of a day with what the gateway says, and keeps every difference until somebody has',
    'explained or settled it. Payments are in the database of DATABASE_URL, keys come from the variables of the application.',
    'A day that was closed is not closed again: the same command says what became of it. --day alone closes nothing.',
    '',
    'Exit codes: 0 fine and nothing is open, 1 the statement, the configuration or the order of the days is wrong, or a',
    'proposal was refused, 2 the command line is wrong, 3 exceptions are open.',
  ].join('\n'),
  options: RECONCILE_OPTIONS,
  examples: [
    'reconcile --balance',
    'reconcile --statement november.csv --preview',
    'reconcile --day 2026-11-20 --statement november.csv --columns "reference=Ref,amount=Amt"',
    'reconcile --day 2026-11-20 --apply --by mary',
    'reconcile --day 2026-11-20 --report journal',
  ],
  run: runReconcile,
};

async function runReconcile(words: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(words, RECONCILE_OPTIONS, { positionals: false });
  const args = readArguments(values);
  const { action } = args;
  try {
    return action === 'preview'
      ? await previewFile(args, context)
      : await withSession(args, context, ACTIONS[action]);
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) throw inWordsOfCommands(error);
    return explainProblems(error, context);
  }
}

function explainProblems({ errors }: PaymentsValidationError, { terminal }: CommandContext): number {
  for (const [field, [problem = '']] of Object.entries(errors)) {
    const option = CALLED[field];
    if (option !== undefined) throw new UsageError(problem.replace(field, option));
  }
  terminal.say(terminal.paint('red', 'Nothing was done:'));
  for (const problem of Object.values(errors).flat())
    terminal.say(`  ${inWordsOfOptions(printable(problem))}`);
  terminal.say('--preview shows how the beginning of the file is read.');
  return EXIT.problem;
}

/** The package's own message says which method to call. */
function inWordsOfCommands(error: unknown): unknown {
  if (!isPaymentsError(error)) return error;
  if (error.code === 'EXCEPTION_NOT_FOUND')
    return new PaymentsError(error.code, error.message.replace('exceptions()', '--exceptions'));
  if (error.code !== 'DAY_CLOSED') return error;
  const [says = ''] = error.message.split('. ');
  return new PaymentsError(
    error.code,
    `${says}. Leave --statement out to look at that day, and close the days to come with their statements.`,
  );
}
