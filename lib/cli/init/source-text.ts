import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { NotEditableError } from './not-editable.error.js';

/**
 * A file's text, a byte order mark included.
 *
 * @throws NotEditableError if the file is not UTF-8: written again it would be another one.
 */
export function sourceText(file: string): string {
  const bytes = readFileSync(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new NotEditableError(`${basename(file)} is not written in UTF-8`);
}

/** The same; undefined if there is no such file. */
export function optionalText(file: string): string | undefined {
  return existsSync(file) ? sourceText(file) : undefined;
}
