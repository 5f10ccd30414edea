import * as generated from '../openapi/control-validators.generated.js';
import { type CompiledValidator, type SchemaProblem } from '../openapi/request-validation.js';
import { ControlProblem } from './control-problem.js';
import { type ControlOperation } from './control-operations.js';

const validators = generated as unknown as Readonly<Record<string, CompiledValidator>>;
const rules = generated.fieldRules as Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @throws ControlProblem that names the field and what to write instead. */
export function checkBody({ body: schema }: ControlOperation, body: unknown): void {
  const validate = schema === null ? undefined : validators[`validate${schema}`];
  if (schema === null || !validate || validate(body)) return;
  const [problem] = validate.errors ?? [];
  if (problem) throw new ControlProblem(422, 'INVALID_BODY', messageOf(problem, rules[schema] ?? {}));
}

function messageOf(
  { keyword, instancePath, params }: SchemaProblem,
  fields: Readonly<Record<string, string>>,
): string {
  const field = instancePath.split('/')[1];
  if (field !== undefined) return `\`${field}\` ${fields[field] ?? 'is invalid.'}`;
  if (keyword === 'required') {
    const missing = params.missingProperty ?? '';
    return `\`${missing}\` is missing: it ${fields[missing] ?? 'is needed.'}`;
  }
  const known = Object.keys(fields).join(', ');
  return `There is no field \`${params.additionalProperty ?? ''}\`: write ${known}.`;
}

/**
 * The filters of a call.
 *
 * @throws ControlProblem if the operation does not know one of them, or one is there twice.
 */
export function queryOf({ query: known }: ControlOperation, search: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (query.has(name))
      throw new ControlProblem(400, 'BAD_FILTER', `The query names \`${name}\` twice: write it once.`);
    query.set(name, value);
  }
  const unknown = [...query.keys()].find((name) => !known.some((allowed) => allowed === name));
  if (unknown !== undefined) {
    const instead = known.length === 0 ? 'this call takes none' : `write ${known.join(', ')}`;
    throw new ControlProblem(400, 'UNKNOWN_FILTER', `There is no filter \`${unknown}\`: ${instead}.`);
  }
  return query;
}

/**
 * The reference or id that a call names. A client drops the segments `.` and `..` from a URL, so the query names a
 * reference like that.
 *
 * @throws ControlProblem if both name one, or the path is not well percent-encoded.
 */
export function subjectOf(
  { path }: ControlOperation,
  segment: string,
  query: ReadonlyMap<string, string>,
): string {
  const named = path.includes('{reference}') ? query.get('reference') : undefined;
  const inPath = decodedSegment(segment);
  if (named === undefined) return inPath;
  if (inPath === '-') return named;
  const message = 'The path and `?reference=` both name a reference: write - in the path.';
  throw new ControlProblem(400, 'BAD_REFERENCE', message);
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    const message = 'The reference is not well encoded: write it with encodeURIComponent.';
    throw new ControlProblem(400, 'BAD_REFERENCE', message);
  }
}
