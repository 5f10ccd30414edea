import { constants } from 'node:buffer';
import { exportState, type StateEntry } from '../../sandbox/state/state-entry.js';
import { decodedText } from '../text-file.js';
import { UsageError } from '../usage-error.js';

const LAST = ']}';
const LONGEST_HEAD = 1_024;
const NEWLINE = 0x0a;

/** The lines of one JSON value, with a part of the state on each: a text of Node holds 512 MiB, and a state may be larger. */
export function* stateLines(entries: readonly StateEntry[]): Generator<string, void, undefined> {
  yield JSON.stringify(exportState({ all: () => [] })).slice(0, -LAST.length);
  for (const [index, entry] of entries.entries())
    yield `${JSON.stringify(entry)}${index < entries.length - 1 ? ',' : ''}`;
  yield LAST;
}

/**
 * The state that somebody exported: such lines, or any other form of the same JSON. Undefined: it is no JSON.
 *
 * @param where The text before the problem: `The file state.json`.
 * @throws UsageError if it is too large for one text, and not in such lines.
 */
export function exportedState(bytes: Buffer, where: string, largest = constants.MAX_STRING_LENGTH): unknown {
  const head = bytes.subarray(0, LONGEST_HEAD);
  const start = head.indexOf(NEWLINE) + 1;
  // `trim` takes a byte order mark away, too.
  const first = head.toString('utf8', 0, start).trim();
  if (first.endsWith('"parts":[')) return stateOfLines(`${first}${LAST}`, bytes.subarray(start));
  if (bytes.length <= largest) return parsed(decodedText(bytes));
  throw new UsageError(
    `${where} is too large for one text: export the state again with this version, which writes a line for each part.`,
  );
}

function stateOfLines(head: string, bytes: Buffer): unknown {
  const parts: unknown[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.toString('utf8', start, end).trimEnd();
    start = end + 1;
    if (line !== LAST) parts.push(parsed(line.replace(/,$/, '')));
    else if (start === bytes.length) return { ...(parsed(head) as object), parts };
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
