import { fieldErrors } from '../openapi/request-validation.js';
import { BankRegistry } from './banks.js';
import { CollectionService } from './collection-service.js';
import { authenticate, type Credentials } from './credentials.js';
import { type GatewayAnswer, type Acceptance, isRefusal, type Outcome } from './gateway-answer.js';
import { type GatewayContext } from './gateway-context.js';
import { Merchant } from './merchant.js';
import { lookUpName } from './name-lookup.js';
import { movesMoney, REQUEST_SCHEMAS, type SandboxOperation } from './operations.js';
import { PayoutService } from './payout-service.js';
import { invalidFields, refused, type Refusal } from './refusal.js';
import { type Rule } from './rule.js';
import {
  type BankPayoutRequest,
  type CollectionRequest,
  type MobileMoneyPayoutRequest,
  type NameLookupRequest,
} from './requests.js';
import { walletRecord } from './wallet.js';

/** One call, after HTTP and before anything is believed. */
export interface GatewayCall {
  readonly operation: SandboxOperation;
  readonly credentials: Credentials;
  readonly idempotencyKey: string | undefined;
  /** Parsed JSON; undefined on GET. */
  readonly body: unknown;
  readonly rule: Rule;
}

/** Code and message of a success (specification, "Endpoints"). */
const SUCCESS: Readonly<Record<SandboxOperation, readonly [code: string, message: string]>> = {
  'POST /payments/mobile-money': ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
  'POST /payments/partnerpesa': ['PAYMENT_INITIATED', 'Payment initiated successfully.'],
  'GET /merchant-balance': ['SUCCESS', 'Wallet balance retrieved successfully.'],
  'GET /bank-shortnames': ['SUCCESS', 'Banks retrieved successfully.'],
  'POST /disbursements/name-lookup': ['ACCOUNT_VERIFIED', 'Account verified successfully.'],
  'POST /disbursements/bank': ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
  'POST /disbursements/mobile-money': ['DISBURSEMENT_INITIATED', 'Disbursement initiated successfully.'],
};

/** The whole gateway without its network: merchants, money, and the seven operations. */
export class Gateway {
  readonly collections: CollectionService;
  readonly payouts: PayoutService;
  readonly banks = new BankRegistry();
  private readonly merchantsByName = new Map<string, Merchant>();

  constructor(private readonly context: GatewayContext) {
    this.collections = new CollectionService(context);
    this.payouts = new PayoutService(context, this.banks);
  }

  get merchants(): readonly Merchant[] {
    return [...this.merchantsByName.values()];
  }

  merchant(name: string): Merchant {
    const known = this.merchantsByName.get(name);
    if (known) return known;
    const merchant = new Merchant(name, this.context.settings.startingBalanceCents, this.context.directory);
    this.merchantsByName.set(name, merchant);
    this.context.events.emit('balance', merchant);
    return merchant;
  }

  /** Gives a merchant's wallet other money than its payments left it, and reports it. */
  changeWallet(name: string, change: (wallet: Merchant['wallet']) => void): Merchant {
    const merchant = this.merchant(name);
    change(merchant.wallet);
    this.context.events.emit('balance', merchant);
    return merchant;
  }

  handle(call: GatewayCall): GatewayAnswer {
    const name = authenticate(call.credentials);
    if (typeof name !== 'string') return name;
    const merchant = this.merchant(name);
    const refusal = this.refusalOf(call, merchant);
    if (refusal) return refusal;
    const outcome = call.rule.refusal ?? this.perform(call, merchant);
    const usesKey = !isRefusal(outcome) || this.context.profile.refusalsUseTheirKeys;
    if (usesKey && movesMoney(call.operation) && call.idempotencyKey) {
      merchant.processedKeys.add(call.idempotencyKey);
    }
    return isRefusal(outcome) ? outcome : this.success(call.operation, outcome, merchant);
  }

  /** Forgets one merchant, or all of them with the shared directory and list of banks. */
  reset(name?: string): void {
    const forgotten = this.merchants.filter((merchant) => name === undefined || merchant.name === name);
    for (const merchant of forgotten) {
      merchant.forget();
      this.merchantsByName.delete(merchant.name);
    }
    if (name !== undefined) return;
    this.context.directory.clear();
    this.banks.clear();
  }

  /** What can be refused before the operation itself is looked at: the key first, then the fields. */
  private refusalOf(call: GatewayCall, merchant: Merchant): Refusal | undefined {
    const { operation, idempotencyKey, body } = call;
    const repeated =
      movesMoney(operation) && idempotencyKey !== undefined && merchant.processedKeys.has(idempotencyKey);
    if (!repeated) return invalid(call);
    const known = this.context.profile.referenceBeforeKey && merchant.knows(operation, body);
    return refused(known ? 'DUPLICATE_REFERENCE' : 'DUPLICATE_REQUEST');
  }

  private perform({ operation, body, rule }: GatewayCall, merchant: Merchant): Outcome {
    const { course } = rule;
    switch (operation) {
      case 'POST /payments/mobile-money':
        return this.collections.initiate(merchant, 'mobile_money', body as CollectionRequest, course);
      case 'POST /payments/partnerpesa':
        return this.collections.initiate(merchant, 'partnerpesa', body as CollectionRequest, course);
      case 'POST /disbursements/bank':
        return this.payouts.toBank(merchant, body as BankPayoutRequest, course);
      case 'POST /disbursements/mobile-money':
        return this.payouts.toMobileMoney(merchant, body as MobileMoneyPayoutRequest, course);
      case 'POST /disbursements/name-lookup':
        return lookUpName(this.banks, merchant.directory, body as NameLookupRequest);
      case 'GET /merchant-balance':
        return { data: walletRecord(merchant.wallet) };
      case 'GET /bank-shortnames':
        return { data: this.banks.list() };
    }
  }

  private success(
    operation: SandboxOperation,
    { data, ready }: Acceptance,
    { name }: Merchant,
  ): GatewayAnswer {
    const [code, message] = SUCCESS[operation];
    const body = {
      status: 'success',
      code,
      message,
      data,
      meta: [],
      request_id: this.context.idsOf(name).uuid(),
    };
    return { status: 200, body, ...(ready && { ready }) };
  }
}

/** What the document finds wrong with a request. */
function invalid({ operation, idempotencyKey, body }: GatewayCall): Refusal | undefined {
  const keyed = movesMoney(operation);
  const schema = REQUEST_SCHEMAS[operation];
  const errors = {
    ...(keyed && !idempotencyKey ? { 'Idempotency-Key': ['The Idempotency-Key header is required.'] } : {}),
    ...(schema && fieldErrors(schema, body)),
  };
  return Object.keys(errors).length > 0 ? invalidFields(errors) : undefined;
}
