import { type Terminal } from './terminal.js';

/** One option: how it is parsed, and its text in `--help`. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in `--help`, for example `<url>`. */
  readonly value?: string;
  readonly says: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** An option with a value. */
export function text(value: string, says: string) {
  return { type: 'string', value, says } as const;
}

/** An option with a value, which may come several times. */
export function texts(value: string, says: string) {
  return { ...text(value, says), multiple: true } as const;
}

/** An option without a value. */
export function flag(says: string) {
  return { type: 'boolean', says } as const;
}

/** Ctrl-C, `kill`, and a terminal that is closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The process as a command sees it. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly folder: string;
  /** Reads stdin to its end. */
  readonly input: () => Promise<Buffer>;
  /** Listens to these signals, which do not end the process until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Whether there is a terminal, which also sends Ctrl-C to child processes. */
  readonly interactive: boolean;
  /** The terminal that stderr is, for what changes in place; undefined if it is none. */
  readonly screen?: NodeJS.WritableStream | undefined;
  /** Asks a person at the terminal. Resolves to an empty text after Ctrl-D, and after Ctrl-C, which `onSignal` hears first. */
  readonly ask: (question: string) => Promise<string>;
}

export interface Command {
  /** The name on the command line, for example `sandbox exec`. */
  readonly name: string;
  /** The text after the name, for example `[options] -- <command>`. */
  readonly synopsis: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text of `--help` between usage and options. */
  readonly about: string;
  readonly options: OptionSpecs;
  /** Example arguments, without `npx nestjs-payments`. */
  readonly examples: readonly string[];
  /** Which of the arguments are its own, and not those of a command that it runs. @default those before `--` */
  readonly ownArguments?: (args: readonly string[]) => readonly string[];
  /** Resolves to the exit code: 0 for success, 1 for a failed check. */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}
