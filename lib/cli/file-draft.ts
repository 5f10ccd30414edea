import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { renamePatiently } from '../sandbox/state/patient-rename.js';

const ANYBODY_WRITES = 0o222;
/**
 * What a system says that refuses to replace a file. It may still let this user write into the file. EINVAL is said of an
 * owner whom a container without root does not know.
 */
const NOT_REPLACED: readonly unknown[] = ['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS', 'EINVAL'];

/** What a file will hold, in a file beside it. */
export interface FileDraft {
  /** The file itself, to which the path may be a link. */
  readonly target: string;
  /**
   * Replaces the file by one rename, so that it is never half written. Writes into the file if the system refuses to
   * replace it: the file itself is mounted into a container, for example, or belongs to another user.
   * Then, and if it fails, no draft is left.
   */
  putInPlace(): void;
  /** Removes the draft, unless it has replaced the file. */
  discard(): void;
}

/** A file that must not be replaced, although a rename could. */
export class NotReplaceableError extends Error {}

/**
 * Writes a draft beside a file. The file that it replaces keeps its permissions, its owner, and the links that lead to
 * it.
 *
 * @param newFileMode The permissions of a file that does not exist yet.
 * @throws NotReplaceableError if the file is read-only, or no regular file, and the error of Node.js if the draft of a
 * new file cannot be written. Then nothing is left of it.
 */
export function draftFile(path: string, text: string, newFileMode?: number): FileDraft {
  const target = targetOf(path);
  const before = statSync(target, { throwIfNoEntry: false });
  if (before) refuseReplacement(before);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  const discard = (): void => {
    rmSync(draft, { force: true });
  };
  const isDone = (step: () => void): boolean => {
    try {
      step();
      return true;
    } catch (error) {
      discard();
      if (before?.isFile() && NOT_REPLACED.includes((error as NodeJS.ErrnoException).code)) return false;
      throw error;
    }
  };
  const isDrafted = isDone(() => {
    // On the disk before the rename: after a power cut the file is the old one or the new one.
    writeFileSync(draft, text, { flag: 'wx', mode: before?.mode ?? newFileMode, flush: true });
    if (before) keepOwner(draft, before);
  });
  return {
    target,
    putInPlace: () => {
      const isReplaced =
        isDrafted &&
        isDone(() => {
          renamePatiently(draft, target);
        });
      if (!isReplaced) writeFileSync(target, text, { flush: true });
    },
    discard,
  };
}

/** Replaces a file, or makes it: see {@link draftFile}. */
export function replaceFile(path: string, text: string, newFileMode?: number): void {
  draftFile(path, text, newFileMode).putInPlace();
}

/** Where a link leads, also if there is no file yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? targetOf(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}

function refuseReplacement(before: Stats): void {
  // A device, for example: a rename would put a file in its place. It fails by itself at a folder.
  if (!before.isFile() && !before.isDirectory()) throw new NotReplaceableError('is no regular file');
  // A rename would ignore the missing permission.
  if ((before.mode & ANYBODY_WRITES) === 0) throw new NotReplaceableError('is read-only');
}

/** @throws the error of Node.js if this user may not give files away. */
function keepOwner(draft: string, { uid, gid, mode }: Stats): void {
  const made = statSync(draft);
  if (made.uid !== uid || made.gid !== gid) chownSync(draft, uid, gid);
  // The umask may have taken permissions away.
  chmodSync(draft, mode);
}
