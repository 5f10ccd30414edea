import { type CsvSource } from '../../common/csv-rows.js';
import { isRecord } from '../../common/json-object.js';
import { isTimeZone } from '../../common/time-zone.js';
import { type OptionError, unknownOptions } from '../../errors/option-errors.js';
import { count, flag, type Option, readOptions } from '../../config/option.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { readAll, throwJoined } from '../../errors/wrong-options.js';
import { type AmountFormat, sameWord, type TimeFormat } from './statement-cells.js';
import { STATEMENT_FIELDS, type StatementColumns } from './statement-columns.js';
import { STATEMENT_ROW_KINDS, type StatementRowKind } from './statement-row.js';

/**
 * How to read a statement from a CSV file. Without an option, as the emulator writes it.
 *
 * @publicApi
 */
export interface CsvStatementOptions {
  /** For example `createReadStream('statement.csv')`, a whole text, or its bytes. In UTF-8, with commas or semicolons. */
  readonly stream: AsyncIterable<Uint8Array | string> | Uint8Array | string;
  /** For people. @default the name of the file that the stream reads, else 'statement' */
  readonly name?: string;
  /** The names of the columns. @default see `StatementColumns` */
  readonly columns?: StatementColumns;
  /**
   * What the words in the column `kind` mean, beside `Collection`, `Payout`, `Fee`, `Adjustment` and `Other`. Any
   * other word ends reading. Amounts of the kind `other` need their sign in every file: one without a minus came in. @default {}
   */
  readonly kinds?: Readonly<Record<string, StatementRowKind>>;
  /**
   * Words in the column `status` of money that moved, beside `Success`, `Successful`, `Succeeded`, `Complete`, `Completed`, `Paid`
   * and `Settled`. A word in none of the three lists ends reading. @default []
   */
  readonly succeeded?: readonly string[];
  /**
   * Words in the column `status` which say for good that no money moved, beside `Failed`, `Rejected`, `Declined`, `Cancelled`,
   * `Canceled` and `Expired`. @default []
   */
  readonly failed?: readonly string[];
  /** Words in the column `status` of rows that say nothing yet, beside `Pending` and `Processing`: they are left out. @default [] */
  readonly pending?: readonly string[];
  /** The IANA name of the zone of times that name none, for example `Africa/Dar_es_Salaam`. @default such times end reading */
  readonly timeZone?: string;
  /** How dates are written that do not begin with the year. @default such dates end reading */
  readonly dateFormat?: 'DD/MM/YYYY' | 'MM/DD/YYYY';
  /** What stands before the cents. @default '.' */
  readonly decimal?: '.' | ',';
  /** What may stand between thousands. @default nothing */
  readonly thousands?: ',' | '.' | ' ' | "'";
  /**
   * Whether what left the wallet has a minus, so that a payout is negative. It needs no column `kind`: what came in is a collection,
   * and what left is a payout. Either all fees beside rows of one kind have a minus or none has. Without it no payment and no fee is negative.
   * @default false
   */
  readonly signed?: boolean;
  /** The longest row in bytes: a quotation mark that is never closed must not fill the memory. 1,000 to 10,000,000. @default 100_000 */
  readonly maxRowBytes?: number;
}

/** What a status says of a row. */
type StatusMeaning = 'moved' | 'failed' | 'pending';

/** The options after validation, with defaults. */
export interface ResolvedStatementOptions extends AmountFormat, TimeFormat {
  readonly stream: CsvSource;
  readonly name: string;
  readonly columns: StatementColumns;
  /** By `sameWord`. */
  readonly kinds: ReadonlyMap<string, StatementRowKind>;
  /** By `sameWord`. */
  readonly statuses: ReadonlyMap<string, StatusMeaning>;
  readonly signed: boolean;
  readonly maxRowBytes: number;
}

const KIND_WORDS: Readonly<Record<string, StatementRowKind>> = {
  collection: 'collection',
  payout: 'payout',
  fee: 'fee',
  adjustment: 'other',
  other: 'other',
};
const MOVED = ['success', 'successful', 'succeeded', 'complete', 'completed', 'paid', 'settled'];
const FAILED = ['failed', 'rejected', 'declined', 'cancelled', 'canceled', 'expired'];
const PENDING = ['pending', 'processing'];
const SIMPLE = {
  dateFormat: oneOf('DD/MM/YYYY', 'MM/DD/YYYY'),
  decimal: oneOf('.', ','),
  thousands: oneOf(',', '.', ' ', "'"),
  signed: flag(false),
  maxRowBytes: count({ min: 1_000, max: 10_000_000, default: 100_000 }),
};
const FIELDS = [
  'stream',
  'name',
  'columns',
  'kinds',
  'succeeded',
  'failed',
  'pending',
  'timeZone',
  ...Object.keys(SIMPLE),
];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`Statement option \`${option}\` ${problem}`);

/** @throws PaymentsConfigError that names every option that is missing, wrong or unknown. */
export function resolveStatementOptions(raw: unknown): ResolvedStatementOptions {
  const options = isRecord(raw) ? raw : {};
  const { simple, ...rest } = readAll({
    simple: () =>
      readOptions(SIMPLE, options, '', error, (read) => [
        ...unknownOptions(Object.keys(options), FIELDS, '', error),
        ...(read.thousands !== undefined && read.thousands === (read.decimal ?? '.')
          ? [
              error(
                'thousands',
                "is what stands before the cents: write decimal, too, for example decimal: ','.",
              ),
            ]
          : []),
      ]),
    stream: () => streamOf(options['stream']),
    name: () => nameOf(options['name'], options['stream']),
    columns: () => columnsOf(options['columns'] ?? {}),
    kinds: () => kindsOf(options['kinds'] ?? {}),
    statuses: () => statusesOf(options),
    timeZone: () => timeZoneOf(options['timeZone']),
  });
  return { ...simple, ...rest, decimal: simple.decimal ?? '.' };
}

function oneOf<const T extends string>(...words: readonly T[]): Option<T | undefined> {
  const takes = words.map((word) => JSON.stringify(word)).join(' or ');
  return {
    takes,
    default: 'undefined',
    read: (value, path, wrong) => {
      const found = words.find((word) => word === value);
      if (found !== undefined || value === undefined) return found;
      throw wrong(path, `is not known: write ${takes}.`);
    },
  };
}

function streamOf(value: unknown): CsvSource {
  const isText = typeof value === 'string' || ArrayBuffer.isView(value);
  const isStream = isText || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value);
  if (isStream) return value as CsvSource;
  throw error('stream', "is no stream: write for example createReadStream('statement.csv').");
}

/** The name of the file, without its folders, which say more than a report has to. */
function nameOf(value: unknown, stream: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (value !== undefined)
    throw error('name', "must be a text for people: write for example 'statement.csv'.");
  const path = isRecord(stream) ? stream['path'] : undefined;
  return (typeof path === 'string' && path.split(/[\\/]/).at(-1)) || 'statement';
}

function columnsOf(value: unknown): StatementColumns {
  if (!isRecord(value)) throw error('columns', "must be an object: write for example { reference: 'Ref' }.");
  throwJoined(unknownOptions(Object.keys(value), STATEMENT_FIELDS, 'columns', error));
  const byName = new Map<string, string>();
  for (const [field, name] of Object.entries(value)) {
    if (name === undefined || (name === false && field !== 'amount' && field !== 'at')) continue;
    if (typeof name !== 'string' || name.trim() === '') {
      throw error(`columns.${field}`, "must be the name of a column: write for example 'Ref'.");
    }
    const other = byName.get(sameWord(name));
    if (other !== undefined)
      throw error(`columns.${field}`, `names the column of \`${other}\`: write another one.`);
    byName.set(sameWord(name), field);
  }
  return value;
}

function kindsOf(value: unknown): ReadonlyMap<string, StatementRowKind> {
  if (!isRecord(value))
    throw error('kinds', "must be an object: write for example { Deposit: 'collection' }.");
  const words = Object.entries(value).map(([word, kind]) => [sameWord(word), kind] as const);
  if (words.some(([, kind]) => !STATEMENT_ROW_KINDS.some((one) => one === kind))) {
    throw error(
      'kinds',
      `must map words to ${STATEMENT_ROW_KINDS.join(', ')}: write for example { Deposit: 'collection' }.`,
    );
  }
  const given = new Map<string, StatementRowKind>();
  for (const [word, kind] of words as [string, StatementRowKind][]) {
    const other = given.get(word) ?? kind;
    if (other !== kind)
      throw error('kinds', `says two things of '${word}', ${other} and ${kind}: write it once.`);
    given.set(word, kind);
  }
  return new Map([...Object.entries(KIND_WORDS), ...given]);
}

function statusesOf(options: Readonly<Record<string, unknown>>): ReadonlyMap<string, StatusMeaning> {
  const given = new Map<string, StatusMeaning>();
  for (const [option, meaning] of [
    ['succeeded', 'moved'],
    ['failed', 'failed'],
    ['pending', 'pending'],
  ] as const) {
    const words = options[option] ?? [];
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
      throw error(option, "must be a list of words: write for example ['Reversed'].");
    }
    for (const word of words.map(sameWord)) {
      if ((given.get(word) ?? meaning) !== meaning) {
        throw error(option, `names '${word}', which another list names too: write it in one of them.`);
      }
      given.set(word, meaning);
    }
  }
  const defaults = [
    ...MOVED.map((word) => [word, 'moved'] as const),
    ...FAILED.map((word) => [word, 'failed'] as const),
    ...PENDING.map((word) => [word, 'pending'] as const),
  ];
  return new Map([...defaults, ...given]);
}

function timeZoneOf(value: unknown): string | undefined {
  if (value === undefined || isTimeZone(value)) return value;
  throw error('timeZone', "is no time zone: write for example 'Africa/Dar_es_Salaam'.");
}
