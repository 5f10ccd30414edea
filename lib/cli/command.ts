import { type Terminal } from './terminal.js';

/** One option: how it is parsed, and what `--help` says of it. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** Stands for the value in `--help`, for example `<url>`. */
  readonly value?: string;
  readonly says: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** What a command sees of the process that it runs in. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder that it was started in. */
  readonly folder: string;
  /** Everything on stdin. */
  readonly input: () => Promise<Buffer>;
  /** Hears SIGINT and SIGTERM until the returned function is called; meanwhile they do not end the process. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Whether a terminal is there, which sends Ctrl-C to child processes too. */
  readonly interactive: boolean;
  /** What a person at the terminal types; nothing where the line is left with Ctrl-C or Ctrl-D. */
  readonly ask: (question: string) => Promise<string>;
}

export interface Command {
  /** As it is typed, for example `sandbox exec`. */
  readonly name: string;
  /** What stands after the name, for example `[options] -- <command>`. */
  readonly synopsis: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` says between usage and options. */
  readonly about: string;
  readonly options: OptionSpecs;
  /** Arguments that are worth copying, without `npx nestjs-payments`. */
  readonly examples: readonly string[];
  /** Resolves to the exit code: 0 fine, 1 a check failed. */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}
