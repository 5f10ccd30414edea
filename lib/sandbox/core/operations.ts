import { type RequestSchema } from '../openapi/request-validation.js';
import { type BankRegistry } from './banks.js';
import { type CollectionService } from './collection-service.js';
import { type Outcome } from './gateway-answer.js';
import { type Merchant } from './merchant.js';
import { lookUpName } from './name-lookup.js';
import { type SandboxOperation } from './operation-name.js';
import { type OutcomePlan } from './outcome-plan.js';
import { type PathParameters } from './path-template.js';
import { type PayoutService } from './payout-service.js';
import {
  type BankPayoutRequest,
  type CollectionRequest,
  type MobileMoneyPayoutRequest,
  type NameLookupRequest,
} from './requests.js';
import { walletRecord } from './wallet.js';

/** The services that operations use. */
export interface OperationServices {
  readonly collections: CollectionService;
  readonly payouts: PayoutService;
  readonly banks: BankRegistry;
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
  /** Code and message of a success (specification, "Endpoints"). */
  readonly success: readonly [code: string, message: string];
  readonly perform: (call: OperationCall, services: OperationServices) => Outcome;
}

/**
 * Every operation of the gateway, by method and path below `/api/v1`. A path may have parameters:
 * `/payments/{reference}`. The router, the validation, the scenarios, the control API, the page and the
 * documents all use this table.
 */
export const OPERATIONS: Readonly<Record<SandboxOperation, GatewayOperation>> = {
  'POST /payments/mobile-money': {
    request: 'MobileMoneyCollectionRequest',
    makes: 'collection',
    success: ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
    perform: ({ merchant, body, plan }, { collections }) =>
      collections.initiate(merchant, 'mobile_money', body as CollectionRequest, plan),
  },
  'POST /payments/partnerpesa': {
    request: 'PartnerWalletCollectionRequest',
    makes: 'collection',
    success: ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
    perform: ({ merchant, body, plan }, { collections }) =>
      collections.initiate(merchant, 'partnerpesa', body as CollectionRequest, plan),
  },
  'GET /merchant-balance': {
    success: ['SUCCESS', 'Wallet balance retrieved successfully.'],
    perform: ({ merchant }) => ({ data: walletRecord(merchant.wallet) }),
  },
  'GET /bank-shortnames': {
    success: ['SUCCESS', 'Banks retrieved successfully.'],
    perform: (_, { banks }) => ({ data: banks.list() }),
  },
  'POST /disbursements/name-lookup': {
    request: 'NameLookupRequest',
    success: ['ACCOUNT_VERIFIED', 'Account verified successfully.'],
    perform: ({ merchant, body }, { banks }) =>
      lookUpName(banks, merchant.directory, body as NameLookupRequest),
  },
  'POST /disbursements/bank': {
    request: 'BankDisbursementRequest',
    makes: 'payout',
    success: ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
    perform: ({ merchant, body, plan }, { payouts }) =>
      payouts.toBank(merchant, body as BankPayoutRequest, plan),
  },
  'POST /disbursements/mobile-money': {
    request: 'MobileMoneyDisbursementRequest',
    makes: 'payout',
    success: ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
    perform: ({ merchant, body, plan }, { payouts }) =>
      payouts.toMobileMoney(merchant, body as MobileMoneyPayoutRequest, plan),
  },
};

/** The operations that create collections, payouts, or neither. */
export function operationsThatMake(makes: GatewayOperation['makes']): readonly SandboxOperation[] {
  const all = Object.keys(OPERATIONS) as readonly SandboxOperation[];
  return all.filter((operation) => OPERATIONS[operation].makes === makes);
}
