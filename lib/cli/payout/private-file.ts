import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../usage-error.js';

/** The end of a sentence about such a file. It promises nothing on Windows. */
export function readableBy(platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? '' : ', which only you can read';
}

/**
 * Writes a new file, whole or not at all. Only its owner can read it; on Windows the permissions of its folder decide.
 * What exists stays: it may be the file of the salaries, or that of what was paid.
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
