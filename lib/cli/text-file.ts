import { readFileSync } from 'node:fs';

/** The text of a file that a person made. See {@link decodedText}. */
export function textOfFile(path: string): string {
  return decodedText(readFileSync(path));
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

/** UTF-8, or UTF-16 as `>` of PowerShell 5.1 writes it; without a byte order mark. */
export function decodedText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
