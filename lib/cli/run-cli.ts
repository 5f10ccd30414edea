import { isPaymentsError } from '../errors/payments-errors.js';
import { didYouMean } from '../common/closest-word.js';
import { printable } from '../common/printable.js';
import { type Command, type CommandContext } from './command.js';
import { conformanceCommand } from './conformance/conformance.command.js';
import { doctorCommand } from './doctor/doctor.command.js';
import { commandHelp, programHelp } from './help.js';
import { initCommand } from './init/init.command.js';
import { migrateCommand } from './migrate/migrate.command.js';
import { packageFacts } from './package-facts.js';
import { payoutCommand } from './payout/payout.command.js';
import { reconcileCommand } from './reconcile/reconcile.command.js';
import { execCommand } from './sandbox/exec.command.js';
import { sandboxCommand } from './sandbox/sandbox.command.js';
import { exportCommand, importCommand } from './sandbox/state.commands.js';
import { UsageError } from './usage-error.js';
import { signCommand } from './webhooks/sign.command.js';
import { triggerCommand } from './webhooks/trigger.command.js';
import { verifyCommand } from './webhooks/verify.command.js';

export const COMMANDS: readonly Command[] = [
  sandboxCommand,
  execCommand,
  exportCommand,
  importCommand,
  triggerCommand,
  signCommand,
  verifyCommand,
  doctorCommand,
  initCommand,
  migrateCommand,
  payoutCommand,
  reconcileCommand,
  conformanceCommand,
];

/**
 * Runs one command. Resolves to the exit code: 0 for success, 1 for a failure, 2 for a wrong command line.
 */
export async function runCli(args: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  const command = commandOf(args);
  try {
    if (command) return await runCommand(command, args.slice(command.name.split(' ').length), context);
    return runProgram(args[0], terminal);
  } catch (error) {
    return explain(error, command, terminal);
  }
}

/** Finds the command with the longest matching name: `sandbox exec` is not `sandbox` with an argument. */
function commandOf(args: readonly string[]): Command | undefined {
  return COMMANDS.filter(({ name }) => name.split(' ').every((word, index) => word === args[index])).sort(
    (left, right) => right.name.length - left.name.length,
  )[0];
}

async function runCommand(
  command: Command,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { ownArguments = beforeDashes } = command;
  const own = ownArguments(args);
  if (!own.includes('--help') && !own.includes('-h')) return command.run(args, context);
  context.terminal.data(commandHelp(command));
  return 0;
}

function beforeDashes(args: readonly string[]): readonly string[] {
  return args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
}

function runProgram(word: string | undefined, { data }: CommandContext['terminal']): number {
  switch (word) {
    case '-h':
    case '--help':
      data(programHelp(COMMANDS));
      return 0;
    case '-v':
    case '--version':
      data(packageFacts().version);
      return 0;
    case undefined:
      throw new UsageError('Which command?');
    default: {
      const names = COMMANDS.map(({ name }) => name);
      throw new UsageError(`There is no command '${printable(word)}'.${didYouMean(word, names)}`);
    }
  }
}

function explain(
  error: unknown,
  command: Command | undefined,
  { say, paint }: CommandContext['terminal'],
): number {
  if (error instanceof UsageError) {
    const more = command ? ` ${command.name} --help` : ' --help';
    say(
      `${paint('red', error.message)}\n\nUsage: nestjs-payments ${command ? `${command.name} ${command.synopsis}` : '<command> [options]'}`,
    );
    say(`More: npx nestjs-payments${more}`);
    return 2;
  }
  if (!isPaymentsError(error) && !isFileError(error)) throw error;
  say(paint('red', isPaymentsError(error) ? error.message : unusable(error)));
  return 1;
}

/** An error of the file system: the place is wrong, or closed to this user. */
function isFileError(error: unknown): error is NodeJS.ErrnoException & { readonly path: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';
}

function unusable({ path, code }: NodeJS.ErrnoException & { readonly path: string }): string {
  return `${printable(path)} cannot be used (${String(code)}): name a place that you may read and write.`;
}
