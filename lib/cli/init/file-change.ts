import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NotEditableError } from './not-editable.error.js';
import { optionalText } from './source-text.js';

const ANYBODY_WRITES = 0o222;

/** A file's text before and after. */
export interface FileChange {
  readonly path: string;
  /** Undefined: the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** A change with its real file and the temporary file beside it. */
interface Draft extends FileChange {
  readonly target: string;
  readonly draft: string;
}

/**
 * Writes all changes, each by one rename, so that no file is ever half written.
 *
 * @throws NotEditableError if a file has changed in the meantime, is read-only, or cannot be written. Then it
 * writes none.
 */
export function writeChanges(changes: readonly FileChange[]): void {
  for (const { path, before } of changes) {
    if (optionalText(path) === before) continue;
    throw new NotEditableError(`${basename(path)} was changed meanwhile: run the command again`);
  }
  const drafts = changes.map(draftOf);
  try {
    for (const draft of drafts) attempt(draft, writeDraft);
    putInPlace(drafts);
  } finally {
    for (const { draft } of drafts) if (existsSync(draft)) rmSync(draft);
  }
}

function draftOf(change: FileChange): Draft {
  const { path, before } = change;
  const target = before === undefined ? path : realpathSync(path); // keeps a link
  return { ...change, target, draft: join(dirname(target), `.${basename(target)}.${process.pid}.tmp`) };
}

function writeDraft({ path, target, draft, before, after }: Draft): void {
  const mode = before === undefined ? undefined : statSync(target).mode;
  // A rename would ignore the missing permission.
  if (mode !== undefined && (mode & ANYBODY_WRITES) === 0) {
    throw new NotEditableError(`${basename(path)} is read-only`);
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(draft, after, { mode });
}

function putInPlace(drafts: readonly Draft[]): void {
  const done: Draft[] = [];
  try {
    for (const draft of drafts) {
      attempt(draft, ({ draft: from, target }) => {
        renameSync(from, target);
      });
      done.push(draft);
    }
  } catch (error) {
    done.reverse().forEach(rollback);
    throw error;
  }
}

function rollback({ target, draft, before }: Draft): void {
  if (before === undefined) {
    rmSync(target);
    return;
  }
  writeFileSync(draft, before, { mode: statSync(target).mode });
  renameSync(draft, target);
}

function attempt(change: Draft, write: (change: Draft) => void): void {
  try {
    write(change);
  } catch (error) {
    if (error instanceof NotEditableError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new NotEditableError(`${basename(change.path)} cannot be written (${code})`);
  }
}
