import { isRecord } from '../../common/json-object.js';
import { didYouMean } from '../../common/closest-word.js';

/** A step from a value to one inside it. A private key is personal data, and is shown by its position. */
export type PathStep = string | number | { readonly privateKey: string; readonly position: number };

/** What is wrong, and where. */
export interface WorldProblem {
  readonly path: readonly PathStep[];
  /** The rest of a sentence that begins with the path: `must be true or false`. */
  readonly message: string;
  /** Whether the key itself is wrong, not its value. */
  readonly ofKey?: boolean;
}

/** A JSON Schema. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A rule about values. The check and the JSON Schema are made from the same arguments. */
export interface Form {
  readonly schema: JsonSchema;
  /** Reports every problem of a value, which is not undefined. */
  readonly check: (
    value: unknown,
    path: readonly PathStep[],
    report: (problem: WorldProblem) => void,
  ) => void;
}

/** Adds a sentence that editors show. */
export function says(description: string, form: Form): Form {
  return { ...form, schema: { ...form.schema, description } };
}

/** A value that passes a test. */
export function value(schema: JsonSchema, passes: (value: unknown) => boolean, otherwise: string): Form {
  return {
    schema,
    check: (given, path, report) => {
      if (!passes(given)) report({ path, message: otherwise });
    },
  };
}

/** Text that is not empty. */
export const TEXT: Form = {
  schema: { type: 'string', minLength: 1 },
  check: (given, path, report) => {
    if (typeof given === 'number') report({ path, message: 'must be text: write it in quotes' });
    else if (typeof given !== 'string' || given === '') report({ path, message: 'must be text' });
  },
};

export const FLAG: Form = value(
  { type: 'boolean' },
  (given) => typeof given === 'boolean',
  'must be true or false',
);

/** Any object with JSON values. */
export const OBJECT: Form = value({ type: 'object' }, isRecord, 'must be an object');

/** A whole number within bounds. */
export function whole(minimum: number, maximum: number): Form {
  return value(
    { type: 'integer', minimum, maximum },
    (given) => Number.isInteger(given) && Number(given) >= minimum && Number(given) <= maximum,
    `must be a whole number from ${minimum} to ${maximum}`,
  );
}

/** A number within bounds. */
export function within(minimum: number, maximum: number): Form {
  return value(
    { type: 'number', minimum, maximum },
    (given) => typeof given === 'number' && given >= minimum && given <= maximum,
    `must be a number from ${minimum} to ${maximum}`,
  );
}

/** One of some words. */
export function word(...words: readonly string[]): Form {
  return {
    schema: { enum: words },
    check: (given, path, report) => {
      if (words.includes(given as string)) return;
      const meant = typeof given === 'string' ? didYouMean(given, words) : '';
      report({ path, message: `must be one of ${words.join(', ')}.${meant}` });
    },
  };
}

/** A value, or null. */
export function orNull(form: Form): Form {
  return {
    schema: { anyOf: [form.schema, { type: 'null' }] },
    check: (given, path, report) => {
      if (given !== null) form.check(given, path, report);
    },
  };
}

/** A list of values of one form. */
export function list(form: Form): Form {
  return {
    schema: { type: 'array', items: form.schema },
    check: (given, path, report) => {
      if (!Array.isArray(given)) report({ path, message: 'must be a list: begin each entry with a hyphen' });
      else
        given.forEach((entry, index) => {
          form.check(entry, [...path, index], report);
        });
    },
  };
}

/** The keys of a map. */
interface MapKeys {
  readonly pattern: RegExp;
  /** What a wrong key must be. */
  readonly otherwise: string;
  /** Whether messages must not show them. */
  readonly arePrivate?: boolean;
}

/** Values of one form under keys of one's own. */
export function map({ pattern, otherwise, arePrivate = false }: MapKeys, form: Form): Form {
  return {
    schema: {
      type: 'object',
      propertyNames: { pattern: pattern.source },
      additionalProperties: form.schema,
    },
    check: (given, path, report) => {
      if (!isRecord(given)) {
        report({ path, message: 'must be a map of keys and values' });
        return;
      }
      for (const [position, [key, entry]] of Object.entries(given).entries()) {
        const inside = [...path, arePrivate ? { privateKey: key, position } : key];
        if (pattern.test(key)) form.check(entry, inside, report);
        else report({ path: inside, message: otherwise, ofKey: true });
      }
    },
  };
}

/**
 * An object with known fields.
 *
 * @param needed Those that must be there.
 * @param extensions Whether keys that begin with `x-` may hold anything, such as anchors.
 */
export function object<Fields extends object>(
  fields: { readonly [Name in keyof Required<Fields>]: Form },
  needed: readonly (keyof Fields & string)[] = [],
  extensions = false,
): Form {
  const forms = fields as Readonly<Record<string, Form>>;
  const names = Object.keys(forms);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(forms).map(([name, { schema }]) => [name, schema])),
      ...(needed.length > 0 && { required: needed }),
      ...(extensions && { patternProperties: { '^x-': {} } }),
      additionalProperties: false,
    },
    check: (given, path, report) => {
      if (!isRecord(given)) {
        report({ path, message: `must have some of these keys: ${names.join(', ')}` });
        return;
      }
      for (const [name, entry] of Object.entries(given)) {
        const inside = [...path, name];
        const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
        if (extensions && name.startsWith('x-')) continue;
        if (!form) report({ path: inside, message: unknownKey(name, names), ofKey: true });
        else if (entry !== undefined) form.check(entry, inside, report);
      }
      for (const name of needed)
        if (given[name] === undefined) report({ path, message: `needs the key ${name}` });
    },
  };
}

function unknownKey(name: string, names: readonly string[]): string {
  return `is no key here.${didYouMean(name, names)} Write one of ${names.join(', ')}`;
}
