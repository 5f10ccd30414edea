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
  refuseSecond(args, options);
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals });
  } catch (error) {
    throw usageError(error, Object.keys(options));
  }
}

/** `parseArgs` keeps the last value of an option, and loses the others. */
function refuseSecond(args: readonly string[], options: OptionSpecs): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name } = token;
    const { type, multiple, value } = options[name] ?? {};
    if (type !== 'string' || multiple) continue;
    if (given.has(name)) {
      const as = value === '<list>' ? ', with commas in its list' : '';
      throw new UsageError(`--${name} is written twice, and one would be lost: write it once${as}.`);
    }
    given.add(name);
  }
}

function usageError(error: unknown, names: readonly string[]): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, dashes = '', option = ''] = /'(--?)([^'=]*)/.exec(message) ?? [];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return new UsageError(message.replace(/\.*$/, '.'));
  const words = names.map((name) => `--${name}`);
  return new UsageError(`Unknown option '${dashes}${option}'.${didYouMean(`--${option}`, words)}`);
}
