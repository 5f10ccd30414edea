import { dirname } from 'node:path/posix';
import { codeAt, type Mutant, oneLine } from './mutant.js';

/** The part that is read here of Stryker's report (the schema of mutation-testing-elements). */
export interface StrykerReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly status: string;
          readonly location: Record<'start' | 'end', { readonly line: number; readonly column: number }>;
        }[];
      }
    >
  >;
}

export interface JudgedMutant extends Mutant {
  readonly noticed: boolean;
}

const NOTICED: Readonly<Record<string, boolean>> = {
  Killed: true,
  Timeout: true,
  Survived: false,
  NoCoverage: false,
};

/** Whether a test noticed a mutant of this status; undefined for one that was not run. */
export function isNoticed(status: string): boolean | undefined {
  return NOTICED[status];
}

/** The mutants that were run; those that are not in the sample are left out. */
export function judgedMutants({ files }: StrykerReport): JudgedMutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.flatMap(({ mutatorName, replacement = '', status, location: { start, end } }) => {
      const noticed = isNoticed(status);
      if (noticed === undefined) return [];
      const code = codeAt(source, start, end);
      return { file, ...start, kind: mutatorName, code, became: oneLine(replacement), noticed };
    }),
  );
}

/** How many of a hundred were noticed; all, if there was nothing to notice. */
export function shareNoticed(mutants: readonly JudgedMutant[]): number {
  if (mutants.length === 0) return 100;
  return (100 * mutants.filter(({ noticed }) => noticed).length) / mutants.length;
}

/** A table by folder and the survivors, as Markdown. */
export function writeReport(mutants: readonly JudgedMutant[]): string {
  const folders = [...new Set(mutants.map(({ file }) => dirname(file)))].sort();
  const rows = folders.map((folder) =>
    folderRow(
      folder,
      mutants.filter(({ file }) => dirname(file) === folder),
    ),
  );
  const survivors = mutants.filter(({ noticed }) => !noticed);
  return [
    '| folder | mutants | noticed |',
    '|---|---|---|',
    ...rows,
    folderRow('all', mutants),
    '',
    ...(survivors.length === 0
      ? ['No mutant survived.']
      : ['| place | kind | code | became |', '|---|---|---|---|', ...survivors.map(survivorRow)]),
  ].join('\n');
}

function folderRow(name: string, mutants: readonly JudgedMutant[]): string {
  return `| ${name} | ${mutants.length} | ${shareNoticed(mutants).toFixed(1)} % |`;
}

function survivorRow({ file, line, kind, code, became }: JudgedMutant): string {
  return `| ${file}:${line} | ${kind} | ${cell(code)} | ${cell(became)} |`;
}

function cell(code: string): string {
  const short = code.length > 120 ? `${code.slice(0, 119)}…` : code;
  return `\`${short.replaceAll('|', '\\|')}\``;
}
