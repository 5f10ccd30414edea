import { type RequestSchema } from '../openapi/request-validation.js';

/** The gateway's seven operations, as method and path below `/api/v1`. */
export const SANDBOX_OPERATIONS = [
  'POST /payments/mobile-money',
  'POST /payments/partnerpesa',
  'GET /merchant-balance',
  'GET /bank-shortnames',
  'POST /disbursements/name-lookup',
  'POST /disbursements/bank',
  'POST /disbursements/mobile-money',
] as const;

/**
 * An operation of the gateway, as `sandbox.next(…)` names it.
 *
 * @useDeclaredType
 * @publicApi
 */
export type SandboxOperation = (typeof SANDBOX_OPERATIONS)[number];

/** The schema of each operation's body in `gateway.yaml`. */
export const REQUEST_SCHEMAS: Partial<Record<SandboxOperation, RequestSchema>> = {
  'POST /payments/mobile-money': 'MobileMoneyCollectionRequest',
  'POST /payments/partnerpesa': 'PartnerWalletCollectionRequest',
  'POST /disbursements/name-lookup': 'NameLookupRequest',
  'POST /disbursements/bank': 'BankDisbursementRequest',
  'POST /disbursements/mobile-money': 'MobileMoneyDisbursementRequest',
};

/** Operations that must carry an Idempotency-Key (specification, "Authentication" 2). */
const KEYED: readonly SandboxOperation[] = [
  'POST /payments/mobile-money',
  'POST /payments/partnerpesa',
  'POST /disbursements/bank',
  'POST /disbursements/mobile-money',
];

export function movesMoney(operation: SandboxOperation): boolean {
  return KEYED.includes(operation);
}

export function findOperation(method: string, path: string): SandboxOperation | undefined {
  return SANDBOX_OPERATIONS.find((operation) => operation === `${method} ${path}`);
}

/** The methods that a path understands; empty for an unknown path. */
export function methodsOf(path: string): readonly string[] {
  return SANDBOX_OPERATIONS.filter((operation) => operation.endsWith(` ${path}`)).map(
    (operation) => operation.split(' ')[0] ?? '',
  );
}
