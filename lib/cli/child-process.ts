import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { normalizeSpawnCommand } from 'tinyexec';
import { type CommandContext } from './command.js';

const SIGNALLED = 128;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/**
 * Runs a command in this terminal. Resolves to its exit code, like a shell.
 *
 * @param cwd Where it runs: by default, in the working directory.
 */
export function runChild(
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  { terminal, onSignal, interactive }: Pick<CommandContext, 'terminal' | 'onSignal' | 'interactive'>,
  cwd?: string,
): Promise<number> {
  return new Promise((resolve) => {
    // On Windows, npm and its like are scripts: only the command interpreter starts them.
    const started = normalizeSpawnCommand(command, args, { env, cwd, stdio: 'inherit' });
    const child = spawn(started.command, [...started.args], started.options);
    const unsubscribe = onSignal((signal) => {
      // The terminal has also sent Ctrl-C to the child: many programs read two of them as "at once".
      if (signal !== 'SIGINT' || !interactive) child.kill(signal);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      unsubscribe();
      terminal.say(terminal.paint('red', `${command} cannot be run: ${error.message}.`));
      resolve(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once('exit', (code, signal) => {
      unsubscribe();
      resolve(code ?? SIGNALLED + (signal ? constants.signals[signal] : 0));
    });
  });
}
