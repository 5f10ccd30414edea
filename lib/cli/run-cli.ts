import { isPaymentsError } from '../errors/payments.error.js';
import { packageVersion } from './package-version.js';
import { runSandbox, SANDBOX_USAGE } from './sandbox.command.js';
import { printable, type Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

const USAGE = `Usage: nestjs-payments <command> [options]

Commands:
  sandbox     run the gateway's emulator, with a page that plays the customer's phone

Options:
  -h, --help     show this, or a command's options after its name
  -v, --version  show the version

Example:
  npx nestjs-payments sandbox --port 4242 --forward-to http://127.0.0.1:3000/webhooks/payments`;

/**
 * Runs one command and resolves to the exit code: 0 fine, 1 it failed, 2 the command line is wrong.
 *
 * @param untilStopped Resolves when a command that serves has to end.
 */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  untilStopped: () => Promise<void>,
): Promise<number> {
  const [command, ...rest] = args;
  try {
    switch (command) {
      case '-h':
      case '--help':
        terminal.data(USAGE);
        return 0;
      case '-v':
      case '--version':
        terminal.data(packageVersion());
        return 0;
      case 'sandbox':
        return await runSandbox(rest, terminal, untilStopped);
      case undefined:
        throw new UsageError('Which command?');
      default:
        throw new UsageError(`There is no command '${printable(command)}'.`);
    }
  } catch (error) {
    return explain(error, command === 'sandbox' ? SANDBOX_USAGE : USAGE, terminal);
  }
}

function explain(error: unknown, usage: string, { say, paint }: Terminal): number {
  if (error instanceof UsageError) {
    say(`${paint('red', error.message)}\n\n${usage}`);
    return 2;
  }
  if (!isPaymentsError(error)) throw error;
  say(paint('red', error.message));
  return 1;
}
