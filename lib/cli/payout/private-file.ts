import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../usage-error.js';

/**
 * Writes a new file that only its owner can read, whole or not at all. What exists stays: it may be the file of the salaries, or that
 * of what was paid.
 *
 * @throws UsageError if it cannot be written.
 */
export async function writePrivately(file: string, pieces: AsyncIterable<string>): Promise<void> {
  if (existsSync(file))
    throw new UsageError('--out exists already, and nothing was written: name a new file.');
  const draft = `${file}.${process.pid}.part`;
  try {
    await pipeline(pieces, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new UsageError(`--out cannot be written (${String(code)}): name a file in a folder that is yours.`);
  }
}
