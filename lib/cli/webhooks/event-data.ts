import { isRecord } from '../../common/json-object.js';
import { UsageError } from '../usage-error.js';

type Fields = Readonly<Record<string, unknown>>;

const ASSIGNMENT = /^([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)(:?=)(.*)$/s;

/**
 * Fields of an event from `name=text` and `name:=json`. A full stop leads into an object
 * (`metadata.order=7`).
 *
 * @throws UsageError if one has neither form.
 */
export function eventData(assignments: readonly string[]): Fields {
  return assignments.reduce<Fields>((data, assignment) => {
    const [, path, operator, value] = ASSIGNMENT.exec(assignment) ?? [];
    if (path === undefined || value === undefined) {
      throw new UsageError('--data takes name=text or name:=json, such as --data amount=100.00.');
    }
    return set(data, path.split('.'), operator === '=' ? value : json(path, value));
  }, {});
}

function set(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...fields, [name]: value };
  const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return { ...fields, [name]: set(isRecord(inner) ? inner : {}, rest, value) };
}

function json(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`--data ${path}:= needs JSON after it; for plain text write ${path}=.`);
  }
}
