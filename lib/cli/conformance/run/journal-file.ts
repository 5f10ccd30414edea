import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { jsonObject } from '../../../common/json-object.js';
import { UsageError } from '../../usage-error.js';

type Line = Readonly<Record<string, unknown>>;

/** As many links as Linux follows. */
const MOST_LINKS = 40;
/** How each journal begins. */
const START = Buffer.from('{"version":1');

/** Opens a journal's file, and makes it if it does not exist. */
export function openFile(file: string): number {
  return orCannotOpen(() => {
    const descriptor = openSync(file, 'a+', 0o600);
    syncFolder(dirname(file));
    return descriptor;
  });
}

/**
 * The path of a journal's file without symbolic links, whether the file exists or not.
 *
 * @throws UsageError if its folder does not exist, or its links lead in a circle.
 */
export function realPathOf(file: string): string {
  let path = resolve(file);
  for (let link = 0; link < MOST_LINKS; link += 1) {
    const whole = join(
      orCannotOpen(() => realpathSync(dirname(path))),
      basename(path),
    );
    const target = orCannotOpen(() => linkTarget(whole));
    if (target === undefined) return whole;
    path = resolve(dirname(whole), target);
  }
  throw cannotOpen('ELOOP');
}

/** The lines of the file at a path. Cuts off what a crash left of the last one, so that the next line begins a line. */
export function wholeLines(descriptor: number, path: string): readonly Line[] {
  const bytes = contentOf(descriptor);
  const whole = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, whole).toString().split('\n').slice(0, -1);
  const entries = lines.map((line) => {
    const entry = jsonObject(line);
    if (!entry) throw notAJournal();
    return entry;
  });
  // A foreign file has other lines, or none. A first line that was cut begins as ours does.
  if (bytes.length > 0 && !bytes.subarray(0, START.length).equals(START)) throw notAJournal();
  if (whole < bytes.length) truncateSync(path, whole);
  return entries;
}

/** The whole line is on the disk when this returns. */
export function appendLine(descriptor: number, line: Line): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  // A full disk may take a part alone.
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written);
  fsyncSync(descriptor);
}

export function cannotOpen(code: string): UsageError {
  return new UsageError(
    `The journal cannot be opened (${code}): name a file in a folder that is yours with --journal.`,
  );
}

export function notAJournal(): UsageError {
  return new UsageError('The file is no journal of a run of this version: name a new file with --journal.');
}

/** Undefined: it is no link, or does not exist yet. */
function linkTarget(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}

function orCannotOpen<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw cannotOpen(String((error as NodeJS.ErrnoException).code));
  }
}

function contentOf(descriptor: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(descriptor, bytes, length, bytes.length - length, length);
  return bytes.subarray(0, length);
}

/** Otherwise a power cut could leave a file without its name. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch (error) {
    // Windows opens no folder, and some file systems sync none.
    if (!['EISDIR', 'EPERM', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
