import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { draftFile, type FileDraft, NotReplaceableError, replaceFile } from '../file-draft.js';
import { NotEditableError } from './not-editable.error.js';
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
 * @throws NotEditableError if a file has changed in the meantime, is read-only, or cannot be written. Then it
 * writes none.
 */
export function writeChanges(changes: readonly FileChange[]): void {
  for (const { path, before } of changes) {
    if (optionalText(path) === before) continue;
    throw new NotEditableError(`${basename(path)} was changed meanwhile: run the command again`);
  }
  const drafted: Drafted[] = [];
  try {
    for (const change of changes) attempt(change, () => drafted.push({ ...change, draft: draftOf(change) }));
    putInPlace(drafted);
  } finally {
    for (const { draft } of drafted) draft.discard();
  }
}

function draftOf({ path, after }: FileChange): FileDraft {
  mkdirSync(dirname(path), { recursive: true });
  return draftFile(path, after);
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
    const name = basename(path);
    if (error instanceof NotReplaceableError) throw new NotEditableError(`${name} ${error.message}`);
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new NotEditableError(`${name} cannot be written (${code})`);
  }
}
