import * as generated from './validators.generated.js';

/** One problem that a compiled validator reports. */
export interface SchemaProblem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: string; readonly additionalProperty?: string };
}

/** A request schema compiled by `scripts/generate.mjs`. */
export interface CompiledValidator {
  (body: unknown): boolean;
  errors?: readonly SchemaProblem[] | null;
}

/** The name of a request schema in `gateway.yaml`. */
export type RequestSchema = keyof typeof generated.fieldRules;

const validators = generated as unknown as Readonly<Record<`validate${RequestSchema}`, CompiledValidator>>;
const rules = generated.fieldRules as Readonly<Record<RequestSchema, Readonly<Record<string, string>>>>;

/** The fields that a body has in `gateway.yaml`. */
export function fieldNames(schema: RequestSchema): readonly string[] {
  return Object.keys(rules[schema]);
}

/** Lists the problems of a body by field name, according to `gateway.yaml`. */
export function fieldErrors(
  schema: RequestSchema,
  body: unknown,
): Readonly<Record<string, readonly string[]>> {
  const validate = validators[`validate${schema}`];
  if (validate(body)) return {};
  const errors: Record<string, string[]> = {};
  for (const problem of validate.errors ?? []) {
    const missing = problem.params.missingProperty;
    const field = missing ?? problem.instancePath.split('/')[1];
    if (field === undefined || errors[field]) continue;
    const rule = missing === undefined ? rules[schema][field] : 'field is required.';
    errors[field] = [`The ${field} ${rule ?? 'is invalid.'}`];
  }
  return errors;
}
