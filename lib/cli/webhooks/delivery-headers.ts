import { decodedText } from '../text-file.js';
import { UsageError } from '../usage-error.js';
import { readInput } from './body-input.js';

/**
 * The headers of a delivery by lower-case name, from `name: value` lines. `@file` reads the lines of a file,
 * and ignores lines that are not headers, such as the request line of a captured request.
 *
 * @throws UsageError if a line has no colon, or a file cannot be read.
 */
export function deliveryHeaders(
  written: readonly string[] = [],
  folder: string,
): ReadonlyMap<string, readonly string[]> {
  const lines = written.flatMap((line) => (line.startsWith('@') ? fileLines(line.slice(1), folder) : [line]));
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new UsageError('-H takes "name: value" or @file.');
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return headers;
}

function fileLines(file: string, folder: string): string[] {
  const text = decodedText(readInput(file, folder));
  return text.split(/\r?\n/).filter((line) => /^[\w-]+:/.test(line));
}
