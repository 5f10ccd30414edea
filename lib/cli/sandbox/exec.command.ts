import { parseArgs } from 'node:util';
import { runChild } from '../child-process.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { UsageError } from '../usage-error.js';
import { SANDBOX_OPTIONS, readSandboxArguments, secretOption, TOKEN_VARIABLE } from './sandbox-arguments.js';
import { environmentOf } from './sandbox-environment.js';
import { readSeedFile } from './seed-file.js';
import { logEvents, startSandbox } from './start-sandbox.js';

const OPTIONS = {
  port: text('<number>', 'port to listen on (default: any free one)'),
  ...SANDBOX_OPTIONS,
  'webhook-secret': secretOption('that of --data, else a new one at each run'),
  log: flag('write every call and every delivery on stderr'),
};

/** `nestjs-payments sandbox exec` */
export const execCommand: Command = {
  name: 'sandbox exec',
  synopsis: '[options] -- <command> [arguments]',
  summary: 'run a command, such as the tests, beside an emulator of its own',
  about: [
    'Starts the emulator on a free port, sets PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_SECRET and',
    'PAYMENTS_WEBHOOK_SECRET, runs the command and stops. The exit code is that of the command: 128 and the',
    "signal's number if a signal ended it, 127 if it does not exist (1 on Windows), 126 if it may not be run.",
  ].join('\n'),
  options: OPTIONS,
  examples: [
    'sandbox exec -- npm test',
    'sandbox exec --profile adversarial -- npm test',
    'sandbox exec --auto --log -- node dist/main.js',
  ],
  ownArguments: (args) => divided(args).own,
  run: runExec,
};

async function runExec(args: readonly string[], context: CommandContext): Promise<number> {
  const { own, command, rest } = divided(args);
  const { values } = parseCommandLine(own, OPTIONS, { positionals: false });
  if (command === undefined) throw new UsageError('Which command? Write it after --, such as -- npm test.');
  const seedFile = await readSeedFile(values['seed-file'], context.folder);
  const parsed = readSandboxArguments(values, 0, context, seedFile);
  const sandbox = await startSandbox(parsed, context.terminal);
  if (values.log) logEvents(sandbox, context.terminal);
  try {
    const environment = {
      ...context.environment,
      ...environmentOf(sandbox, seedFile),
      ...(sandbox.controlToken !== undefined && { [TOKEN_VARIABLE]: sandbox.controlToken }),
    };
    return await runChild([command, ...rest], environment, context);
  } finally {
    await sandbox.stop();
  }
}

/**
 * The options of this command, and the command to run: what follows `--`, or begins with the first word that is no option.
 * Yarn 1 and `npm exec` keep the first `--` for themselves.
 */
function divided(args: readonly string[]) {
  const asked = { options: OPTIONS, strict: false, allowPositionals: true, tokens: true } as const;
  const { tokens } = parseArgs({ args: [...args], ...asked });
  const end = tokens.find(({ kind }) => kind !== 'option');
  if (!end) return { own: args, command: undefined, rest: [] };
  const [command, ...rest] = args.slice(end.kind === 'positional' ? end.index : end.index + 1);
  return { own: args.slice(0, end.index), command, rest };
}
