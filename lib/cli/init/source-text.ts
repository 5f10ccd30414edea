import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from '../../common/printable.js';
import { NotEditableError } from './not-editable.error.js';

/**
 * Reads a file's text with its byte order mark.
 *
 * @throws NotEditableError if the file cannot be read, or is not UTF-8: writing it back would change it.
 */
export function sourceText(file: string): string {
  const bytes = sourceBytes(file, basename(file));
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new NotEditableError(`${basename(file)} is not written in UTF-8`);
}

/**
 * Reads a file. A pipe is refused before it is read: it may never end.
 *
 * @param name How messages call it.
 * @throws NotEditableError if this user may not read it, or if it is no regular file.
 */
export function sourceBytes(file: string, name: string): Buffer {
  try {
    if (statSync(file).isFile()) return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NotEditableError(`${printable(name)} cannot be read (${String(code)})`);
  }
  throw new NotEditableError(`${printable(name)} is no regular file`);
}

/** Reads a file's text; undefined if the file does not exist. */
export function optionalText(file: string): string | undefined {
  return existsSync(file) ? sourceText(file) : undefined;
}
