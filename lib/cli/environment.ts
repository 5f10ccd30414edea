import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type CommandContext } from './command.js';
import { bytesIfExists, unreadable } from './text-file.js';

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
  return { ...parseEnv(textOf(resolve(folder, file ?? DEFAULT_FILE), file !== undefined)), ...environment };
}

function textOf(path: string, isNeeded: boolean): string {
  try {
    // Without a byte order mark, as dotenv reads it. Other encodings than UTF-8 it does not read.
    return new TextDecoder().decode(isNeeded ? readFileSync(path) : bytesIfExists(path));
  } catch (error) {
    throw unreadable('--dotenv', error, 'name a file of NAME=value lines.');
  }
}
