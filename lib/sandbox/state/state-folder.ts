import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { renamePatiently } from './patient-rename.js';
import { areEntries, assertFormat, STATE_FORMAT, type StateEntry } from './state-entry.js';

/** The file of a folder that holds the state. */
export const STATE_FILE = 'state.jsonl';

/** The whole state, before it becomes the state's file. Each holder of the folder has a draft of its own. */
const DRAFT = /^state\.jsonl\.(?:[\da-f-]{36}\.)?new$/;
const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;
const NEWLINE = 0x0a;
/** How much is written and read at once: neither a string nor a buffer holds any state whole. */
const PIECE = 4 * 1024 * 1024;
/** Below this, a longer file costs nothing. */
const SMALL_BYTES = 4 * 1024 * 1024;
const LARGEST_GROWTH = 3;

/** Something else removed or replaced the state's file: what this process appends to has no name any more. */
export class StateFileReplacedError extends PaymentsConfigError {
  constructor(file: string) {
    super(
      `The file ${file} was removed or replaced while the sandbox used it. The sandbox no longer saves its state: stop it, and start it again with the file that is there now.`,
    );
  }
}

/**
 * The state in a folder: a file to which every change is appended, one line a change. A line is whole or does not
 * count, so a change of several parts is on disk wholly or not at all. The file is written again once most of it is
 * out of date.
 */
export class StateFolder {
  private bytes = 0;
  private bytesWhenNew = 0;
  private failed = false;

  private constructor(
    private readonly path: string,
    private readonly lock: FolderLock,
    /** Undefined: it is closed. */
    private file: number | undefined,
    /** What the folder held when it was opened. */
    readonly entries: readonly StateEntry[],
  ) {}

  /**
   * Opens a folder, and makes it if it does not exist. A line that a killed process left half-written is cut off.
   *
   * @throws PaymentsConfigError if the folder cannot be used, another process has it, or it holds something else.
   */
  static async open(name: string): Promise<StateFolder> {
    const path = resolve(name);
    const lock = await takeFolder(path);
    return attempt(path, () => {
      try {
        // A former holder that stood still cannot rename a draft that is gone. So this comes before the file is read.
        removeDrafts(path);
        const { entries, length } = readStateFile(path);
        const file = openSync(join(path, STATE_FILE), 'a', OWNER_ONLY.file);
        chmodSync(join(path, STATE_FILE), OWNER_ONLY.file);
        // By its path: Windows cuts no file through a descriptor that appends.
        truncateSync(join(path, STATE_FILE), length);
        const folder = new StateFolder(path, lock, file, entries);
        folder.bytes = length;
        folder.bytesWhenNew = length;
        return folder;
      } catch (error) {
        lock.release();
        throw error;
      }
    });
  }

  /** Resolves if another process has taken the folder over, or its lock is gone. */
  get lost(): Promise<Error> {
    return this.lock.lost;
  }

  /** Whether the file has become much longer than its state. */
  get isLong(): boolean {
    return this.bytes > SMALL_BYTES + LARGEST_GROWTH * this.bytesWhenNew;
  }

  /** Writes one change. It is in the file when this returns: a kill of the process cannot undo it. */
  append(entries: readonly StateEntry[]): void {
    const { file } = this;
    if (this.failed || file === undefined)
      throw new PaymentsConfigError(`The state in ${this.path} could not be written before.`);
    // After a half-written line nothing more may follow.
    this.failed = true;
    attempt(this.path, () => {
      this.lock.assertHeld();
      this.bytes += writeLines(file, [entries]);
      // After a pause between the two, the folder's next owner may have read it without this change.
      this.lock.assertHeld();
      this.assertNamed();
    });
    this.failed = false;
  }

  /** Replaces the file with the whole state. A failure before that leaves the file as it was. */
  rewrite(entries: readonly StateEntry[]): void {
    attempt(this.path, () => {
      this.lock.assertHeld();
      this.assertNamed();
      const { file, bytes } = this.replaceFile([STATE_FORMAT, ...entries.map((entry) => [entry])]);
      this.closeFile();
      this.file = file;
      this.bytes = bytes;
      this.bytesWhenNew = bytes;
      // As after a change that is appended.
      this.lock.assertHeld();
    });
  }

  private replaceFile(values: readonly unknown[]): { readonly file: number; readonly bytes: number } {
    const draft = join(this.path, `${STATE_FILE}.${this.lock.id}.new`);
    const file = openSync(draft, 'wx', OWNER_ONLY.file);
    try {
      const bytes = writeLines(file, values);
      // Otherwise a power cut could leave the new name with no content.
      fsyncSync(file);
      this.lock.assertHeld();
      this.giveName(draft);
      return { file, bytes };
    } catch (error) {
      closeSync(file);
      rmSync(draft, { force: true });
      // The folder's next owner removes this draft. Then its loss is the cause.
      this.lock.assertHeld();
      throw error;
    }
  }

  private giveName(draft: string): void {
    const file = join(this.path, STATE_FILE);
    // Windows replaces no file that is open.
    if (process.platform === 'win32') this.closeFile();
    try {
      renamePatiently(draft, file);
    } catch (error) {
      this.file ??= openSync(file, constants.O_WRONLY | constants.O_APPEND);
      throw error;
    }
  }

  close(): void {
    this.closeFile();
    this.lock.release();
  }

  private closeFile(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private assertNamed(): void {
    const file = join(this.path, STATE_FILE);
    const named = statSync(file, { bigint: true, throwIfNoEntry: false });
    const own = this.file === undefined ? undefined : fstatSync(this.file, { bigint: true });
    // Some versions of Node know the volume of a file on Windows by its descriptor only.
    const isOnSameVolume = process.platform === 'win32' || named?.dev === own?.dev;
    if (named === undefined || named.ino !== own?.ino || !isOnSameVolume)
      throw new StateFileReplacedError(file);
  }
}

/** Returns how many bytes it wrote. */
function writeLines(file: number, values: readonly unknown[]): number {
  let bytes = 0;
  let text = '';
  const write = (): void => {
    const piece = Buffer.from(text);
    appendFileSync(file, piece);
    bytes += piece.length;
    text = '';
  };
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length >= PIECE) write();
  }
  if (text !== '') write();
  return bytes;
}

function removeDrafts(path: string): void {
  for (const name of readdirSync(path)) {
    if (DRAFT.test(name)) rmSync(join(path, name), { force: true });
  }
}

async function takeFolder(path: string): Promise<FolderLock> {
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_ONLY.folder });
    return await lockFolder(path);
  } catch (error) {
    throw asConfigError(path, error);
  }
}

/** Reads the state of a folder that another process may be using. */
export function readState(name: string): readonly StateEntry[] {
  const path = resolve(name);
  return attempt(path, () => readStateFile(path).entries);
}

function readStateFile(path: string): { readonly entries: readonly StateEntry[]; readonly length: number } {
  const file = join(path, STATE_FILE);
  const latest = new Map<string, StateEntry>();
  let length = 0;
  let line = 0;
  for (const bytes of linesOf(file)) {
    line += 1;
    const value = parsed(bytes.toString());
    if (line === 1) assertFormat(value, `The file ${file}`);
    else if (areEntries(value))
      value.forEach((entry) => {
        put(latest, entry);
      });
    else
      throw new PaymentsConfigError(
        `Line ${line} of ${file} is damaged: restore the file from a copy, or remove it.`,
      );
    length += bytes.length;
  }
  // The first line is never half written: the file got its name when it was whole.
  if (line === 0 && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
    assertFormat(undefined, `The file ${file}`);
  return { entries: [...latest.values()], length };
}

function put(latest: Map<string, StateEntry>, entry: StateEntry): void {
  const name = JSON.stringify(entry[0]);
  if (entry[1] === null) latest.delete(name);
  else latest.set(name, entry);
}

/** The lines of a file, each with its end. None if there is no file, and none that has no end. */
function* linesOf(file: string): Generator<Buffer> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(PIECE);
    let rest = Buffer.alloc(0);
    for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
      rest = Buffer.concat([rest, piece.subarray(0, size)]);
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        yield rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function attempt<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw asConfigError(path, error);
  }
}

function asConfigError(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof PaymentsConfigError || code === undefined) return error;
  return new PaymentsConfigError(`The folder ${path} cannot keep the state (${code}): ${message}.`);
}
