import { createReadStream, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { printable } from '../../common/printable.js';
import { type CsvStatementOptions, type StatementRow } from '../../reconciliation/index.js';
import { type CommandContext } from '../command.js';
import { oneOf } from '../option-values.js';
import { shellWord } from '../shell-word.js';
import { noFileAt, readableCsv } from '../text-file.js';
import { UsageError } from '../usage-error.js';
import { type ReconcileValues } from './reconcile-options.js';

const FIELDS = ['reference', 'amount', 'fee', 'at', 'kind', 'recipient', 'status', 'currency'] as const;
/** Not imported: the command line loads the reconciliation only for the commands that need it. */
const KINDS = ['collection', 'payout', 'fee', 'other'] as const satisfies readonly StatementRow['kind'][];
const STATUSES = ['succeeded', 'failed', 'pending'] as const;
/** In place of the name of a column: it is not read. */
export const NO_COLUMN = '-';
/** Between entries, and not in the name of a column. */
const NEXT_ENTRY = /,(?=[a-z]+=)/;

/**
 * How the command line says that the statement is to be read; undefined without one. The file is not opened yet.
 *
 * @throws UsageError if an option is wrong, or there is no such file.
 */
export function statementOptions(
  values: ReconcileValues,
  { folder }: Pick<CommandContext, 'folder'>,
): (() => CsvStatementOptions) | undefined {
  const { statement } = values;
  if (statement === undefined) return undefined;
  const path = resolve(folder, statement);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) throw noFileAt(path, statement);
  const reading = { ...readingOf(values), name: basename(path) };
  return () => ({ ...reading, stream: readableCsv<Uint8Array>(() => createReadStream(path), statement) });
}

function readingOf(values: ReconcileValues): Omit<CsvStatementOptions, 'stream'> {
  const columns = entriesOf('--columns', values.columns, FIELDS, 'reference=Ref,amount=Amt');
  const words = entriesOf('--kinds', values.kinds, KINDS, 'collection=IN,payout=OUT');
  const kinds = words.map(([kind, word]) => [word, kind] as const);
  refuseSecond('--columns', columns);
  refuseSecond('--kinds', kinds);
  const statuses = entriesOf('--statuses', values.statuses, STATUSES, 'succeeded=OK,failed=Reversed');
  const timeZone = values['statement-time-zone'];
  const dateFormat = oneOf('--date-format', values['date-format'], ['DD/MM/YYYY', 'MM/DD/YYYY']);
  const decimal = oneOf('--decimal', values.decimal, ['.', ',']);
  const thousands = oneOf('--thousands', values.thousands, [',', '.', ' ', "'"]);
  const wordsOf = (status: (typeof STATUSES)[number]): string[] =>
    statuses.filter(([name]) => name === status).map(([, word]) => word);
  return {
    columns: Object.fromEntries(columns.map(([field, name]) => [field, name === NO_COLUMN ? false : name])),
    kinds: Object.fromEntries(kinds),
    succeeded: wordsOf('succeeded'),
    failed: wordsOf('failed'),
    pending: wordsOf('pending'),
    ...(timeZone !== undefined && { timeZone }),
    ...(dateFormat && { dateFormat }),
    ...(decimal && { decimal }),
    ...(thousands && { thousands }),
    ...(values.signed && { signed: true }),
  };
}

/** An object would keep the last value of a name, and lose the others. */
function refuseSecond(option: string, pairs: readonly (readonly [name: string, value: string])[]): void {
  const given = new Map<string, string>();
  for (const [name, value] of pairs) {
    const other = given.get(name) ?? value;
    if (other !== value) {
      const things = printable(`${name}, ${other} and ${value}`);
      throw new UsageError(`${option} says two things of ${things}: write it once.`);
    }
    given.set(name, value);
  }
}

/** The pairs of `reference=Ref,amount=Amt`. */
function entriesOf<const Name extends string>(
  option: string,
  list: string | undefined,
  names: readonly Name[],
  example: string,
): readonly (readonly [Name, string])[] {
  return (list?.split(NEXT_ENTRY) ?? []).map((entry) => {
    const [word = ''] = entry.split('=', 1);
    const name = names.find((known) => known === word.trim());
    const value = entry.slice(word.length + 1).trim();
    if (name !== undefined && value !== '') return [name, value];
    throw new UsageError(
      `${option} takes a list of ${names.map((known) => `${known}=…`).join(', ')}: write ${option} "${example}".`,
    );
  });
}

/** Options of the package, and how the command line calls them. */
const CALLED: Readonly<Record<string, string>> = {
  columns: '--columns',
  kinds: '--kinds',
  succeeded: '--statuses',
  failed: '--statuses',
  pending: '--statuses',
  timeZone: '--statement-time-zone',
  dateFormat: '--date-format',
  decimal: '--decimal',
  thousands: '--thousands',
};

/** The package's message about an option of a statement, or about what is in it, for a command line. */
export function inWordsOfOptions(message: string): string {
  return message
    .replace(/Statement option `(\w+)[^`]*`/g, (found, option: string) => CALLED[option] ?? found)
    .replace(/\bcolumns: \{ ([^}]*) \}/g, (_, list: string) => `--columns ${shellWord(asList(list))}`)
    .replace(
      /\bkinds: \{ '([^']*)': '(\w+)' \}/g,
      (_, word: string, kind: string) => `--kinds ${shellWord(`${kind}=${word}`)}`,
    )
    .replace(/\bin succeeded, failed or pending$/, 'in --statuses, for example --statuses succeeded=OK')
    .replace(/\bsigned: true\b/g, '--signed')
    .replace(/\ballowNoMatch: true\b/g, '--allow-no-match')
    .replace(
      /\b(timeZone|dateFormat|decimal|thousands): '([^']*)'/g,
      (_, option: string, value: string) => `${CALLED[option] ?? option} ${shellWord(value)}`,
    );
}

/** `reference=Ref,amount=Amt,fee=-` of `reference: "Ref", amount: "Amt", fee: false`. */
function asList(object: string): string {
  const pairs = [...object.matchAll(/(\w+): (?:(["'])(.*?)\2|false)/g)];
  return pairs.map(([, field = '', , name = NO_COLUMN]) => `${field}=${name}`).join(',');
}
