import { existsSync, lstatSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { draftFile, type FileDraft, NotReplaceableError, replaceFile } from '../file-draft.js';
import { foldersUp } from '../json-file.js';
import { NotEditableError } from './not-editable.error.js';
import { shown } from './root-module.js';
import { optionalText } from './source-text.js';

/** A file's text before and after. */
export interface FileChange {
  readonly path: string;
  /** Undefined: the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** A change, written beside its file. */
interface Drafted extends FileChange {
  readonly draft: FileDraft;
}

/**
 * Writes all changes, each by one rename where the system allows it, so that no file is ever half written.
 *
 * @param place The working directory, for messages.
 * @throws NotEditableError if a file has changed in the meantime, is read-only, or cannot be written. Then it
 * writes none, and leaves no new folder.
 */
export function writeChanges(changes: readonly FileChange[], place: string): void {
  for (const { path, before } of changes) {
    if (optionalText(path) === before) continue;
    throw new NotEditableError(`${basename(path)} was changed meanwhile: run the command again`);
  }
  const drafted: Drafted[] = [];
  const folders: string[] = [];
  try {
    for (const change of changes) {
      attempt(change, () => {
        refuseOtherThanFolder(dirname(change.path), place);
        folders.unshift(...missingFolders(change));
        drafted.push({ ...change, draft: draftOf(change) });
      });
    }
    putInPlace(drafted);
  } catch (error) {
    for (const { draft } of drafted) draft.discard();
    folders.forEach(removeEmpty);
    throw error;
  }
}

/** @throws NotEditableError if a file, or a link that leads nowhere, has the name of a folder. */
function refuseOtherThanFolder(folder: string, place: string): void {
  const first = foldersUp(folder).findLast((at) => !isFolder(at));
  if (first === undefined || !lstatSync(first, { throwIfNoEntry: false })) return;
  const problem = `${shown(place, first)} has to be a folder, and is a file or a link that leads nowhere`;
  throw new NotEditableError(`${problem}: rename or remove it, then run the command again`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function draftOf({ path, after }: FileChange): FileDraft {
  mkdirSync(dirname(path), { recursive: true });
  return draftFile(path, after);
}

/** The folders that a file needs, the innermost first. */
function missingFolders({ path }: FileChange): readonly string[] {
  return foldersUp(dirname(path)).filter((folder) => !existsSync(folder));
}

/** A folder in which there is something by now stays. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds a file of another program, or was never made.
  }
}

function putInPlace(drafted: readonly Drafted[]): void {
  const done: Drafted[] = [];
  try {
    for (const change of drafted) {
      attempt(change, () => {
        change.draft.putInPlace();
      });
      done.push(change);
    }
  } catch (error) {
    done.reverse().forEach(rollback);
    throw error;
  }
}

function rollback({ path, before, draft }: Drafted): void {
  if (before === undefined) rmSync(draft.target);
  else replaceFile(path, before);
}

function attempt({ path }: FileChange, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof NotEditableError) throw error;
    const name = basename(path);
    if (error instanceof NotReplaceableError) throw new NotEditableError(`${name} ${error.message}`);
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new NotEditableError(`${name} cannot be written (${code})`);
  }
}
