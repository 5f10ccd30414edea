import { gatewayOperations, type payoutKinds } from '../openapi/operations.generated.js';

/**
 * An operation of the gateway: method and path below `/api/v1`.
 *
 * @useDeclaredType
 * @publicApi
 */
export type SandboxOperation = (typeof gatewayOperations)[number];

/**
 * Where a payout sends the money.
 *
 * @useDeclaredType
 * @publicApi
 */
export type SandboxPayoutKind = (typeof payoutKinds)[number];

/** Every operation, in the order of `gateway.yaml`. */
export const SANDBOX_OPERATIONS: readonly SandboxOperation[] = gatewayOperations;
