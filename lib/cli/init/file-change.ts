import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NotEditableError } from './not-editable.error.js';
import { optionalText } from './source-text.js';

/** A file as it stands, and as it is to be. */
export interface FileChange {
  readonly path: string;
  /** Undefined where there is none yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Writes all of them, each by one rename, so that no file is ever half written.
 *
 * @throws NotEditableError where a file is no longer what the changes were worked out from, or cannot be written; none
 * is changed then.
 */
export function writeChanges(changes: readonly FileChange[]): void {
  for (const { path, before } of changes) {
    if (optionalText(path) === before) continue;
    throw new NotEditableError(`${basename(path)} was changed meanwhile: run the command again`);
  }
  const drafts = changes.map((change) => ({ ...change, target: targetOf(change) })).map(withDraft);
  try {
    for (const { path, target, draft, before, after } of drafts) {
      attempt(path, () => {
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(draft, after, before === undefined ? {} : { mode: statSync(target).mode });
      });
    }
    for (const { draft, target } of drafts) renameSync(draft, target);
  } finally {
    for (const { draft } of drafts) if (existsSync(draft)) rmSync(draft);
  }
}

/** A link is followed, so that it stays one. */
function targetOf({ path, before }: FileChange): string {
  return before === undefined ? path : realpathSync(path);
}

function withDraft<Change extends { readonly target: string }>(
  change: Change,
): Change & { readonly draft: string } {
  const { target } = change;
  return { ...change, draft: join(dirname(target), `.${basename(target)}.${process.pid}.tmp`) };
}

function attempt(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new NotEditableError(`${basename(path)} cannot be written (${code})`);
  }
}
