import { type SandboxOperation } from '../core/operations.js';
import { type FieldErrors } from '../core/refusal.js';
import * as generated from './validators.generated.js';

/** One problem as the compiled validators report it. */
interface SchemaProblem {
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: string };
}

interface CompiledValidator {
  (body: unknown): boolean;
  errors?: readonly SchemaProblem[] | null;
}

interface RequestSchema {
  readonly validate: CompiledValidator;
  readonly rules: Readonly<Record<string, string>>;
}

function requestSchema(validate: unknown, rules: unknown): RequestSchema {
  return { validate: validate as CompiledValidator, rules: rules as RequestSchema['rules'] };
}

const { fieldRules } = generated;

const SCHEMAS: Partial<Record<SandboxOperation, RequestSchema>> = {
  'POST /payments/mobile-money': requestSchema(
    generated.validateMobileMoneyCollectionRequest,
    fieldRules.MobileMoneyCollectionRequest,
  ),
  'POST /payments/partnerpesa': requestSchema(
    generated.validatePartnerWalletCollectionRequest,
    fieldRules.PartnerWalletCollectionRequest,
  ),
  'POST /disbursements/name-lookup': requestSchema(
    generated.validateNameLookupRequest,
    fieldRules.NameLookupRequest,
  ),
  'POST /disbursements/bank': requestSchema(
    generated.validateBankDisbursementRequest,
    fieldRules.BankDisbursementRequest,
  ),
  'POST /disbursements/mobile-money': requestSchema(
    generated.validateMobileMoneyDisbursementRequest,
    fieldRules.MobileMoneyDisbursementRequest,
  ),
};

/** What is wrong with a body, by field, as `gateway.yaml` has it. Empty: nothing. */
export function fieldErrors(operation: SandboxOperation, body: unknown): FieldErrors {
  const schema = SCHEMAS[operation];
  if (!schema || schema.validate(body)) return {};
  const errors: Record<string, string[]> = {};
  for (const problem of schema.validate.errors ?? []) {
    const missing = problem.params.missingProperty;
    const field = missing ?? problem.instancePath.split('/')[1];
    if (field === undefined || errors[field]) continue;
    const rule = missing === undefined ? schema.rules[field] : 'field is required.';
    errors[field] = [`The ${field} ${rule ?? 'is invalid.'}`];
  }
  return errors;
}
