import {
  isRecord,
  LONGEST_TIMER_MS,
  oneOf,
  type OptionError,
  wholeNumber,
  wordList,
} from './option-checks.js';

/** One option: everything that is known of it but its meaning, which its TSDoc tells. */
export interface Option<T> {
  /** What may be written, as the documents say it. */
  readonly takes: string;
  /** What leaving it out means, as the documents say it. */
  readonly default: string;
  /** The value that counts, for what was written or left out. Throws the error where it is wrong. */
  readonly read: (written: unknown, path: string, error: OptionError) => T;
  /** The options in it, where it is a section. */
  readonly fields?: OptionTable;
}

/** Options by name. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** What the options of a table resolve to. */
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

/** A whole number; the largest is what a timer of Node holds, unless another one is given. */
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
export function milliseconds(bounds: {
  readonly min: number;
  readonly max?: number;
  readonly default: number;
}): Option<number> {
  return count({ ...bounds, unit: 'milliseconds' });
}

/** One of some words; the first of them is the default. */
export function word<const T extends string>(...words: readonly [T, ...T[]]): Option<T> {
  return {
    takes: words.map((one) => `'${one}'`).join(' or '),
    default: `'${words[0]}'`,
    read: (value, path, error) => oneOf(error, path, value, words),
  };
}

/** A list of words of one form; undefined if it is left out. */
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

/** An object whose fields are options; one left out counts as empty. A field that does not exist is refused. */
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

/** An option that may be left out, or switched off by one value: undefined then. */
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

/** An option that says something else of what it read, or refuses it after all. */
export function mapped<T, U>(
  option: Option<T>,
  map: (value: T, path: string, error: OptionError) => U,
): Option<U> {
  return { ...option, read: (value, path, error) => map(option.read(value, path, error), path, error) };
}

/** A number as it stands in code: `65_536`. */
function inCode(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '_');
}
