import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type RequestSchema } from '../openapi/request-validation.js';
import { type BankRegistry } from './banks.js';
import { type CollectionService } from './collection-service.js';
import { type Outcome } from './gateway-answer.js';
import { type Merchant } from './merchant.js';
import { type OutcomePlan } from './outcome-plan.js';
import { type PathParameters } from './path-template.js';
import { type PayoutService } from './payout-service.js';

/** The services that operations use. */
export interface OperationServices {
  readonly collections: CollectionService;
  readonly payouts: PayoutService;
  readonly banks: BankRegistry;
  readonly facts: ResolvedFacts;
}

/** A call with valid keys and a valid body. */
export interface OperationCall {
  readonly merchant: Merchant;
  readonly parameters: PathParameters;
  /** Fits the row's `request` schema; undefined without one. */
  readonly body: unknown;
  readonly plan: OutcomePlan;
}

/** One row of the table of operations. */
export interface GatewayOperation {
  /** Schema of its body in `gateway.yaml`; absent if the operation takes no body. */
  readonly request?: RequestSchema;
  /**
   * What the operation creates, if it moves money. Its requests need an Idempotency-Key (specification,
   * "Authentication" 2).
   */
  readonly makes?: 'collection' | 'payout';
  /** The body's field with the phone or account number that a scenario may decide by. */
  readonly number?: 'phone' | 'account_number' | 'recipient_phone';
  /** Code and message of a success (specification, "Endpoints"). */
  readonly success: readonly [code: string, message: string];
  readonly perform: (call: OperationCall, services: OperationServices) => Outcome;
}
