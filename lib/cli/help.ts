import { type Command, type OptionSpec } from './command.js';

const PROGRAM = 'nestjs-payments';

/** The text of `--help` after a command. */
export function commandHelp({ name, synopsis, about, options, examples }: Command): string {
  const rows = Object.entries(options).map(
    ([option, spec]) => [optionColumn(option, spec), spec.says] as const,
  );
  return [
    `Usage: ${PROGRAM} ${name} ${synopsis}`,
    about,
    `Options:\n${table([...rows, ['-h, --help', 'show this']])}`,
    `Examples:\n${examples.map((example) => `  npx ${PROGRAM} ${example}`).join('\n')}`,
  ].join('\n\n');
}

/** The text of `--help` alone. */
export function programHelp(commands: readonly Command[]): string {
  return [
    `Usage: ${PROGRAM} <command> [options]`,
    `Commands:\n${table(commands.map(({ name, summary }) => [name, summary]))}`,
    `Options:\n${table([
      ['-h, --help', "show this, or a command's options after its name"],
      ['-v, --version', 'show the version'],
    ])}`,
    'Exit codes: 0 fine, 1 a check failed, 2 the command line is wrong.',
    `Example:\n  npx ${PROGRAM} sandbox --port 4242 --forward-to http://127.0.0.1:3000/webhooks/payments`,
  ].join('\n\n');
}

function optionColumn(option: string, { short, value }: OptionSpec): string {
  return `${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}
