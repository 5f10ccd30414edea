import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type CommandContext } from './command.js';
import { bytesIfExists, unreadable, utf8Text } from './text-file.js';

const DEFAULT_FILE = '.env';

/**
 * The variables as `ConfigModule.forRoot()` sees them: the process wins over the file.
 *
 * @throws UsageError if a named file cannot be read.
 */
export function applicationEnvironment(
  file: string | undefined,
  { environment, folder }: Pick<CommandContext, 'environment' | 'folder'>,
): NodeJS.ProcessEnv {
  const text = textOf(resolve(folder, file ?? DEFAULT_FILE), file !== undefined);
  return { ...variablesIn(text), ...environment };
}

/**
 * Node.js reads some lines in another way than the application: after a line without `=`, it loses the next variable, which may
 * be the one that says where payments are written down.
 */
function variablesIn(text: string): NodeJS.Dict<string> {
  return (dotenvOfNest()?.parse ?? parseEnv)(text);
}

/** The parser that `ConfigModule` reads with; undefined if it is not installed, as beside an emulator alone. */
function dotenvOfNest(): { parse(text: string): NodeJS.Dict<string> } | undefined {
  try {
    const config = createRequire(import.meta.url).resolve('@nestjs/config');
    return createRequire(config)('dotenv') as ReturnType<typeof dotenvOfNest>;
  } catch {
    return undefined;
  }
}

function textOf(path: string, isNeeded: boolean): string {
  let bytes: Buffer;
  try {
    bytes = isNeeded ? readFileSync(path) : (bytesIfExists(path) ?? Buffer.alloc(0));
  } catch (error) {
    throw unreadable('--dotenv', error, 'name a file of NAME=value lines.');
  }
  return utf8Text(isNeeded ? '--dotenv' : DEFAULT_FILE, bytes);
}
