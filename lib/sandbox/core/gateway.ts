import { fieldErrors } from '../openapi/request-validation.js';
import { BankRegistry } from './banks.js';
import { CollectionService } from './collection-service.js';
import { authenticate, type Credentials } from './credentials.js';
import { type Acceptance, type GatewayAnswer, isRefusal } from './gateway-answer.js';
import { type GatewayContext } from './gateway-context.js';
import { Merchant } from './merchant.js';
import { type SandboxOperation } from './operation-name.js';
import { type OperationServices } from './operation.js';
import { OPERATIONS } from './operations.js';
import { type PathParameters } from './path-template.js';
import { PayoutService } from './payout-service.js';
import { invalidFields, refused, type Refusal } from './refusal.js';
import { type Rule } from './rule.js';

/** One call before any check. */
export interface ReceivedCall {
  readonly operation: SandboxOperation;
  readonly parameters: PathParameters;
  readonly credentials: Credentials;
  readonly idempotencyKey: string | undefined;
  /** Parsed JSON; undefined if the operation takes no body. */
  readonly body: unknown;
  readonly rule: Rule;
}

/** The gateway without HTTP: merchants, money and operations. */
export class Gateway implements OperationServices {
  readonly collections: CollectionService;
  readonly payouts: PayoutService;
  readonly banks: BankRegistry;
  private readonly merchantsByName = new Map<string, Merchant>();

  constructor(private readonly context: GatewayContext) {
    this.collections = new CollectionService(context);
    this.payouts = new PayoutService(context);
    this.banks = new BankRegistry(() => {
      context.events.emit('changed', ['banks']);
    });
  }

  get merchants(): readonly Merchant[] {
    return [...this.merchantsByName.values()];
  }

  merchant(name: string): Merchant {
    const known = this.merchantsByName.get(name);
    if (known) return known;
    const { settings, directory, events } = this.context;
    const merchant = new Merchant(name, settings.startingBalanceCents, directory, () => {
      events.emit('changed', ['directory', name]);
    });
    this.merchantsByName.set(name, merchant);
    events.emit('balance', merchant);
    return merchant;
  }

  /** Changes a merchant's wallet at the beginning of a world, and reports the new balance. */
  changeWallet(name: string, change: (wallet: Merchant['wallet']) => void): Merchant {
    const merchant = this.merchant(name);
    change(merchant.wallet);
    this.context.events.emit('balance', merchant);
    return merchant;
  }

  /** Adds to a merchant's wallet, or takes out of it, as a person does. Its statement shows it. */
  adjustWallet(name: string, change: (wallet: Merchant['wallet']) => void): Merchant {
    const { wallet, adjustments } = this.merchant(name);
    return this.changeWallet(name, () => {
      const before = wallet.balance;
      change(wallet);
      const cents = wallet.balance - before;
      if (cents !== 0n) adjustments.push({ at: this.context.clock.now(), cents });
    });
  }

  /** The merchant whose keys a request has, or the refusal. */
  authenticate(credentials: Credentials): string | Refusal {
    return authenticate(credentials, (name) => this.merchantsByName.get(name)?.firstValidPair ?? 0);
  }

  handle(call: ReceivedCall): GatewayAnswer {
    const name = this.authenticate(call.credentials);
    if (typeof name !== 'string') return name;
    const merchant = this.merchant(name);
    const refusal = this.refusalOf(call, merchant);
    if (refusal) return refusal;
    const { makes, perform } = OPERATIONS[call.operation];
    const { parameters, body, rule } = call;
    const outcome = rule.refusal ?? perform({ merchant, parameters, body, plan: rule.plan }, this);
    const usesKey = !isRefusal(outcome) || this.context.profile.refusalsUseTheirKeys;
    if (usesKey && makes && call.idempotencyKey) {
      merchant.processedKeys.add(call.idempotencyKey);
      this.context.events.emit('changed', ['key', name, call.idempotencyKey]);
    }
    if (isRefusal(outcome)) return outcome;
    // The answer takes an id of the merchant.
    this.context.events.emit('changed', ['ids', name]);
    return this.success(call.operation, outcome, merchant);
  }

  /** Clears one merchant, or all merchants with the shared directory and list of banks. */
  reset(name?: string): void {
    const selected = this.merchants.filter((merchant) => name === undefined || merchant.name === name);
    for (const merchant of selected) {
      merchant.reset();
      this.merchantsByName.delete(merchant.name);
    }
    if (name !== undefined) return;
    this.context.directory.clear();
    this.banks.replace();
  }

  /** Makes the checks that all operations share: the key first, then the fields. */
  private refusalOf(call: ReceivedCall, merchant: Merchant): Refusal | undefined {
    const { operation, idempotencyKey, body } = call;
    const { makes } = OPERATIONS[operation];
    const repeated = idempotencyKey !== undefined && merchant.processedKeys.has(idempotencyKey);
    if (!makes || !repeated) return invalid(call);
    const known = this.context.profile.referenceBeforeKey && merchant.knows(makes, body);
    return refused(known ? 'DUPLICATE_REFERENCE' : 'DUPLICATE_REQUEST');
  }

  private success(
    operation: SandboxOperation,
    { data, ready }: Acceptance,
    { name }: Merchant,
  ): GatewayAnswer {
    const [code, message] = OPERATIONS[operation].success;
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

/** Refuses a request that does not fit the document. */
function invalid({ operation, idempotencyKey, body }: ReceivedCall): Refusal | undefined {
  const { makes, request } = OPERATIONS[operation];
  const errors = {
    ...(makes && !idempotencyKey ? { 'Idempotency-Key': ['The Idempotency-Key header is required.'] } : {}),
    ...(request && fieldErrors(request, body)),
  };
  return Object.keys(errors).length > 0 ? invalidFields(errors) : undefined;
}
