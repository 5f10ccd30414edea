import {
  type MobileMoneyCollectionRequest,
  type NameLookupRequest,
  type PartnerWalletCollectionRequest,
} from '../openapi/requests.generated.js';
import { lookUpName } from './name-lookup.js';
import { type GatewayOperation } from './operation.js';
import { type SandboxOperation } from './operation-name.js';
import { PAYOUT_OPERATIONS } from './payout-operations.js';
import { walletRecord } from './wallet.js';

/**
 * Every operation of the gateway, by method and path below `/api/v1`. A path may have parameters:
 * `/payments/{reference}`. The router, the validation, the scenarios, the control API, the page and the
 * documents all use this table.
 */
export const OPERATIONS: Readonly<Record<SandboxOperation, GatewayOperation>> = {
  'POST /payments/mobile-money': {
    request: 'MobileMoneyCollectionRequest',
    number: 'phone',
    makes: 'collection',
    success: ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
    perform: ({ merchant, body, plan }, { collections }) =>
      collections.initiate(merchant, 'mobile_money', body as MobileMoneyCollectionRequest, plan),
  },
  'POST /payments/partnerpesa': {
    request: 'PartnerWalletCollectionRequest',
    number: 'phone',
    makes: 'collection',
    success: ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
    perform: ({ merchant, body, plan }, { collections }) =>
      collections.initiate(merchant, 'partnerpesa', body as PartnerWalletCollectionRequest, plan),
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
    number: 'account_number',
    success: ['ACCOUNT_VERIFIED', 'Account verified successfully.'],
    perform: ({ merchant, body }, { banks, facts }) =>
      lookUpName(banks, merchant.directory, body as NameLookupRequest, facts),
  },
  ...PAYOUT_OPERATIONS,
};

/** The operations that create collections, payouts, or neither. */
export function operationsThatMake(makes: GatewayOperation['makes']): readonly SandboxOperation[] {
  const all = Object.keys(OPERATIONS) as readonly SandboxOperation[];
  return all.filter((operation) => OPERATIONS[operation].makes === makes);
}
