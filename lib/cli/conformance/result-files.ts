import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../usage-error.js';
import { type ConformanceValues } from './conformance-options.js';

type FileOption = 'out' | 'report' | 'letter' | 'record';

/** The files that a run writes in the end, as whole paths. */
export type ResultFiles = Readonly<Record<FileOption, string | undefined>>;

/** What `--plan` writes. */
export const NO_FILES: ResultFiles = {
  out: undefined,
  report: undefined,
  letter: undefined,
  record: undefined,
};

/**
 * A run may take an hour, so that what it writes in the end is checked at its start.
 *
 * @throws UsageError if one of them cannot become a new file.
 */
export function resultFiles(values: ConformanceValues, folder: string, journal: string): ResultFiles {
  if (values.report !== undefined && !/\.(md|html)$/.test(values.report)) {
    throw new UsageError('--report must end with .md or .html.');
  }
  const taken = new Map([[journal, '--journal']]);
  const pathOf = (option: FileOption): string | undefined => {
    const file = values[option];
    if (file === undefined) return undefined;
    const path = resolve(folder, file);
    const other = taken.get(path);
    if (other !== undefined) throw new UsageError(`--${option} and ${other} name one file: name two.`);
    taken.set(path, `--${option}`);
    refuseUnwritable(option, path);
    return path;
  };
  return { out: pathOf('out'), report: pathOf('report'), letter: pathOf('letter'), record: pathOf('record') };
}

function refuseUnwritable(option: FileOption, path: string): void {
  if (existsSync(path))
    throw new UsageError(`--${option} exists already, and nothing was sent: name a new file.`);
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(
      `The folder of --${option} does not exist, and nothing was sent: make it, or name another.`,
    );
}
