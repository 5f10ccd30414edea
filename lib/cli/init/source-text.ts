import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { NotEditableError } from './not-editable.error.js';

/**
 * Reads a file's text with its byte order mark.
 *
 * @throws NotEditableError if the file is not UTF-8: writing it back would change it.
 */
export function sourceText(file: string): string {
  const bytes = readFileSync(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new NotEditableError(`${basename(file)} is not written in UTF-8`);
}

/** Reads a file's text; undefined if the file does not exist. */
export function optionalText(file: string): string | undefined {
  return existsSync(file) ? sourceText(file) : undefined;
}
