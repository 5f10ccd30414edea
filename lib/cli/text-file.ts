import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { printable } from '../common/printable.js';
import { UsageError } from './usage-error.js';

/** The text of a file that a person made. See {@link decodedText}. */
export function textOfFile(path: string): string {
  return decodedText(readFileSync(path));
}

/**
 * A file that cannot be read is a wrong command line, and no crash.
 *
 * @param what The file, or the option that names it.
 * @param instead What to write instead, as the end of the sentence.
 */
export function unreadable(what: string, error: unknown, instead?: string): UsageError {
  const code = String((error as NodeJS.ErrnoException).code);
  const end = instead === undefined ? '.' : `: ${instead}`;
  return new UsageError(`${printable(what)} cannot be read (${code})${end}`);
}

/** The file that a word of the command line does not name. */
export function noFileAt(path: string, word: string): UsageError {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const what = isFolder ? `${printable(word)} is a folder` : `There is no file ${printable(word)} here`;
  return new UsageError(`${what}, and nothing was done.`);
}

/**
 * What is read of a CSV file, as it comes.
 *
 * @param open Called when somebody begins to read: a stream that nobody reads would end the process if there is no file.
 * @throws UsageError while it is read, if the file cannot be.
 */
export async function* readableCsv<Piece>(
  open: () => AsyncIterable<Piece>,
  file: string,
): AsyncGenerator<Piece, void> {
  try {
    yield* open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw unreadable(file, error, 'name a CSV file that you may read.');
  }
}

/** The bytes of a file; undefined if there is none. */
export function bytesIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The text of a file of variables, without a byte order mark, which would be a part of the first name.
 *
 * @param option The option that names the file.
 * @throws UsageError if it is not UTF-8: dotenv reads nothing else.
 */
export function utf8Text(option: string, bytes: Uint8Array): string {
  // UTF-16 without its mark is valid UTF-8.
  if (isUtf8(bytes) && !bytes.includes(0)) return decodedText(bytes);
  throw new UsageError(
    `${option}: the file is not written in UTF-8: save it as UTF-8, or name another file.`,
  );
}

/** UTF-8, or UTF-16 as `>` of PowerShell 5.1 writes it; without a byte order mark. */
export function decodedText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
