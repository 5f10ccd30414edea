import { parseArgs } from 'node:util';
import { didYouMean } from '../common/closest-word.js';
import { type OptionSpecs } from './command.js';
import { UsageError } from './usage-error.js';

/** The values of options. */
export type ValuesOf<Options extends OptionSpecs> = CommandLine<Options>['values'];

/** The parsed options and arguments of a command. */
type CommandLine<Options extends OptionSpecs> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>;

/**
 * Parses the options and the other arguments of one command.
 *
 * @throws UsageError that says what to write instead.
 */
export function parseCommandLine<const Options extends OptionSpecs>(
  args: readonly string[],
  options: Options,
  { positionals: allowPositionals }: { readonly positionals: boolean },
): CommandLine<Options> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals });
  } catch (error) {
    throw usageError(error, Object.keys(options));
  }
}

function usageError(error: unknown, names: readonly string[]): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, dashes = '', option = ''] = /'(--?)([^'=]*)/.exec(message) ?? [];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return new UsageError(message.replace(/\.*$/, '.'));
  const words = names.map((name) => `--${name}`);
  return new UsageError(`Unknown option '${dashes}${option}'.${didYouMean(`--${option}`, words)}`);
}
