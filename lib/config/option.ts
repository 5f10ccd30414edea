import { LONGEST_TIMER_MS } from '../common/timing.js';
import { isRecord } from '../common/json-object.js';
import { type OptionError, optionPath, unknownOptions } from '../errors/option-errors.js';
import { throwJoined, noting } from '../errors/wrong-options.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';

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

/**
 * Reads the options of a table.
 *
 * @param contradictions The errors of options that do not fit each other. It gets the options that are right.
 * @throws PaymentsConfigError that names every wrong option.
 */
export function readOptions<Table extends OptionTable>(
  table: Table,
  written: Readonly<Record<string, unknown>>,
  path: string,
  error: OptionError,
  contradictions: (read: Partial<Resolved<Table>>) => readonly PaymentsConfigError[] = () => [],
): Resolved<Table> {
  const errors: PaymentsConfigError[] = [];
  const entries = Object.entries(table).map(([name, option]) => {
    return [name, noting(errors, () => option.read(written[name], optionPath(path, name), error))];
  });
  const read = Object.fromEntries(entries) as Resolved<Table>;
  throwJoined([...errors, ...contradictions(read)]);
  return read;
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
    read: (value, path, error) => {
      if (value === undefined) return bounds.default;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
      const problem = `must be a whole number from ${min} to ${max}`;
      throw error(path, `${problem}: write for example ${bounds.default}, the default.`);
    },
  };
}

/** A time in milliseconds. */
export function milliseconds(bounds: Parameters<typeof count>[0]): Option<number> {
  return count({ ...bounds, unit: 'milliseconds' });
}

/** Whether something is on. */
export function flag(byDefault: boolean): Option<boolean> {
  return {
    takes: 'true or false',
    default: String(byDefault),
    read: (value = byDefault, path, error) => {
      if (typeof value === 'boolean') return value;
      throw error(path, `must be true or false: write ${!byDefault}, or leave it out.`);
    },
  };
}

/** One of several words; the first one is the default. */
export function word<const T extends string>(...words: readonly [T, ...T[]]): Option<T> {
  const takes = words.map((one) => `'${one}'`).join(' or ');
  return {
    takes,
    default: `'${words[0]}'`,
    read: (value = words[0], path, error) => {
      const found = words.find((one) => one === value);
      if (found !== undefined) return found;
      throw error(path, `is not known: write ${takes}.`);
    },
  };
}

/** A list of words of one form; undefined if omitted. */
export function words(
  form: { readonly pattern: RegExp; readonly example: string },
  byDefault: string,
): Option<ReadonlySet<string> | undefined> {
  const areWords = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && form.pattern.test(one));
  const problem = `must be a list of upper-case words: write for example ${form.example}.`;
  const list = checked(`list of upper-case words, for example ${form.example}`, areWords, problem);
  return mapped(unless(list, undefined, byDefault), (given) => given && new Set(given));
}

/** A required value that a check accepts. */
export function checked<T>(takes: string, fits: (value: unknown) => value is T, problem: string): Option<T> {
  return {
    takes,
    default: 'required',
    read: (value, path, error) => {
      if (fits(value)) return value;
      throw error(path, problem);
    },
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
      return readOptions(fields, value, path, error, () =>
        unknownOptions(Object.keys(value), names, path, error, `write ${names.join(' or ')}.`),
      );
    },
  };
}

/** An option that resolves to undefined if it is omitted, or switched off by one value. */
export function unless<T>(
  option: Option<T>,
  off: false | undefined,
  byDefault: string = option.default,
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
export function inCode(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '_');
}
