import { LONGEST_TIMER_MS } from '../common/timing.js';
import { isRecord, oneOf, type OptionError, wholeNumber, wordList } from './option-checks.js';

/** One option. Its TSDoc explains its meaning. */
export interface Option<T> {
  /** The accepted values, as text for the documents. */
  readonly takes: string;
  /** The default, as text for the documents. */
  readonly default: string;
  /** Resolves a written or omitted value. Throws the error if it is wrong. */
  readonly read: (written: unknown, path: string, error: OptionError) => T;
  /** The options of a section. */
  readonly fields?: OptionTable;
}

/** Options by name. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The resolved options of a table. */
export type Resolved<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never;
};

/** Reads the options of a table. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  written: Readonly<Record<string, unknown>>,
  path: string,
  error: OptionError,
): Resolved<Table> {
  const read = Object.entries(table).map(([name, option]) => [
    name,
    option.read(written[name], path === '' ? name : `${path}.${name}`, error),
  ]);
  return Object.fromEntries(read) as Resolved<Table>;
}

/** A whole number. Its default maximum is the longest time of a Node timer. */
export function count(bounds: {
  readonly min: number;
  readonly max?: number;
  readonly default: number;
  readonly unit?: string;
}): Option<number> {
  const { min, max = LONGEST_TIMER_MS, unit = '' } = bounds;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${inCode(max)}`;
  return {
    takes: `whole number${unit && ` of ${unit}`}, ${range}`,
    default: inCode(bounds.default),
    read: (value, path, error) => wholeNumber(error, path, value, { min, max, fallback: bounds.default }),
  };
}

/** A time in milliseconds. */
export function milliseconds(bounds: Parameters<typeof count>[0]): Option<number> {
  return count({ ...bounds, unit: 'milliseconds' });
}

/** One of several words; the first one is the default. */
export function word<const T extends string>(...words: readonly [T, ...T[]]): Option<T> {
  return {
    takes: words.map((one) => `'${one}'`).join(' or '),
    default: `'${words[0]}'`,
    read: (value, path, error) => oneOf(error, path, value, words),
  };
}

/** A list of words of one form; undefined if omitted. */
export function words(
  form: { readonly pattern: RegExp; readonly example: string },
  byDefault: string,
): Option<ReadonlySet<string> | undefined> {
  return {
    takes: `list of upper-case words, for example ${form.example}`,
    default: byDefault,
    read: (value, path, error) => wordList(error, path, value, form),
  };
}

/** An object whose fields are options. An omitted one counts as empty. Refuses unknown fields. */
export function section<Fields extends OptionTable>(fields: Fields): Option<Resolved<Fields>> {
  const names = Object.keys(fields);
  return {
    takes: 'object',
    default: '{}',
    fields,
    read: (written, path, error) => {
      const value = written ?? {};
      if (!isRecord(value)) throw error(path, 'must be an object: see its fields in PaymentsModuleOptions.');
      const unknown = Object.keys(value).find((field) => !names.includes(field));
      if (unknown !== undefined) {
        throw error(`${path}.${unknown}`, `does not exist: write ${names.join(' or ')}.`);
      }
      return readOptions(fields, value, path, error);
    },
  };
}

/** An option that resolves to undefined if it is omitted, or switched off by one value. */
export function unless<T>(
  option: Option<T>,
  off: false | undefined,
  byDefault: string,
): Option<T | undefined> {
  return {
    ...option,
    takes: off === false ? `${option.takes}, or false` : option.takes,
    default: byDefault,
    read: (value, path, error) => (value === off ? undefined : option.read(value, path, error)),
  };
}

/** An option that converts, or refuses, the value that another option read. */
export function mapped<T, U>(
  option: Option<T>,
  map: (value: T, path: string, error: OptionError) => U,
): Option<U> {
  return { ...option, read: (value, path, error) => map(option.read(value, path, error), path, error) };
}

/** A number in the form of code: `65_536`. */
function inCode(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '_');
}
