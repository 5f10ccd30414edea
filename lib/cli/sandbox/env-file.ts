import { isDeepStrictEqual, parseEnv } from 'node:util';
import { isLoopbackHost } from '../../sandbox/http/loopback.js';
import { NotReplaceableError, replaceFile } from '../file-draft.js';
import { bytesIfExists, utf8Text } from '../text-file.js';
import { UsageError } from '../usage-error.js';

const OWNER_ONLY = 0o600;
const OPTION = '--write-env';
/** What a shell and every reader of such files take without quotes. */
const PLAIN = /^[\w.,:/+=@%-]*$/;

/** The variables that `paymentsConfig` reads, with their values. */
type Variables = Readonly<Record<string, string>>;

/** A file of NAME=value lines, into which the emulator may write its variables. */
interface EnvFile {
  /** What the file holds now. */
  readonly variables: NodeJS.Dict<string>;
  /**
   * Writes the variables and keeps every other line that the file holds by then.
   *
   * @throws UsageError if the file cannot be written, or holds the keys of another gateway by then. It is as it was.
   */
  write(variables: Variables): void;
}

/**
 * Reads the file and checks that nothing of a real gateway would be lost. A missing file is an empty one.
 *
 * @param names The variables that will be written.
 * @throws UsageError if the file cannot be read, or holds the keys of another gateway.
 */
export function openEnvFile(path: string, names: readonly string[]): EnvFile {
  const read = (): string => attempt('read', () => checkedText(path, names));
  return {
    variables: parseEnv(read()),
    write(variables) {
      // Somebody may have edited it while the emulator started.
      const text = withVariables(read(), variables);
      attempt('written', () => {
        replaceFile(path, text, OWNER_ONLY);
      });
    },
  };
}

/** @throws UsageError if it holds the keys of another gateway. */
function checkedText(path: string, names: readonly string[]): string {
  // Writing anything else than UTF-8 back would change it.
  const text = utf8Text(OPTION, bytesIfExists(path) ?? Buffer.alloc(0));
  refuseOtherGateway(parseEnv(text), names);
  return text;
}

/**
 * The text with these variables: each in its own line, or at the end if it has none.
 *
 * @throws UsageError if a variable cannot be written without a change to another.
 */
export function withVariables(before: string, variables: Variables): string {
  const newline = before.includes('\r\n') ? '\r\n' : '\n';
  let text = before === '' || before.endsWith('\n') ? before : `${before}${newline}`;
  for (const [name, value] of Object.entries(variables)) {
    const quoted = inQuotes(value);
    if (parseEnv(`A=${quoted}`)['A'] !== value) {
      throw new UsageError(
        `${OPTION} cannot write ${name}: no quotes hold its characters. Start with another value.`,
      );
    }
    const line = new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=).*?(\\r?)$`, 'gm');
    const written = text.replace(line, (_, start: string, end: string) => `${start}${quoted}${end}`);
    text = line.test(text) ? written : `${text}${name}=${quoted}${newline}`;
  }
  if (isDeepStrictEqual({ ...parseEnv(text) }, { ...parseEnv(before), ...variables })) return text;
  throw new UsageError(
    `${OPTION} cannot change the file without harm to another line: remove the PAYMENTS_ lines and start again.`,
  );
}

/** A value as Node.js, dotenv, Docker Compose and `source` read it alike, if there is a way. */
export function inQuotes(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.includes("'") && !/["$`\\]/.test(value) ? `"${value}"` : `'${value}'`;
}

/** Keys beside an address that is not on this machine belong to somebody, and a file has only one copy of them. */
function refuseOtherGateway(variables: NodeJS.Dict<string>, names: readonly string[]): void {
  const held = names.filter((name) => variables[name] !== undefined && variables[name] !== '');
  if (held.length === 0 || isOfEmulator(variables['PAYMENTS_BASE_URL'])) return;
  throw new UsageError(
    `${OPTION} would replace ${held.join(', ')}, which no emulator wrote: remove these lines, or name another file.`,
  );
}

function isOfEmulator(baseUrl = ''): boolean {
  return URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname);
}

function attempt<Result>(what: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why =
      error instanceof NotReplaceableError
        ? `the file ${error.message}`
        : String((error as NodeJS.ErrnoException).code);
    throw new UsageError(`${OPTION} cannot be ${what} (${why}): name a file such as .env.`);
  }
}
