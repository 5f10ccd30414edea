import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandContext } from '../command.js';
import { unreadable } from '../text-file.js';
import { UsageError } from '../usage-error.js';

/**
 * The exact bytes of a file, or of stdin without a file name or for `-`.
 *
 * @throws UsageError if the file cannot be read, or there is more than one.
 */
export async function bodyInput(
  files: readonly string[],
  { folder, input }: Pick<CommandContext, 'folder' | 'input'>,
): Promise<Buffer> {
  const [file = '-', ...others] = files;
  if (others.length > 0) throw new UsageError('One body at a time: name one file, or none for stdin.');
  return file === '-' ? input() : readInput(file, folder);
}

/** @throws UsageError if the file cannot be read. */
export function readInput(file: string, folder: string): Buffer {
  try {
    return readFileSync(resolve(folder, file));
  } catch (error) {
    throw unreadable(`The file ${file}`, error);
  }
}
