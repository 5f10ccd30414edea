import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../usage-error.js';

/**
 * Writes a file that only its owner can read, whole or not at all.
 *
 * @throws UsageError if it cannot be written.
 */
export async function writePrivately(file: string, pieces: AsyncIterable<string>): Promise<void> {
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
