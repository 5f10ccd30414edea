import * as generated from './validators.generated.js';

/** One problem as the compiled validators report it. */
export interface SchemaProblem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: string; readonly additionalProperty?: string };
}

/** A schema of a request, as `scripts/generate.mjs` compiles it. */
export interface CompiledValidator {
  (body: unknown): boolean;
  errors?: readonly SchemaProblem[] | null;
}

/** A request of `gateway.yaml`. */
export type RequestSchema = keyof typeof generated.fieldRules;

/** Messages by field name. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

const validators = generated as unknown as Readonly<Record<`validate${RequestSchema}`, CompiledValidator>>;
const rules = generated.fieldRules as Readonly<Record<RequestSchema, Readonly<Record<string, string>>>>;

/** Says for each field what is wrong with a body according to `gateway.yaml`. */
export function fieldErrors(schema: RequestSchema, body: unknown): FieldErrors {
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
