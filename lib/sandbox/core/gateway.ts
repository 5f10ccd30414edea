import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { BankRegistry } from './banks.js';
import { CollectionService } from './collection-service.js';
import { authenticate, type Credentials } from './credentials.js';
import { type Acceptance, type GatewayAnswer, isRefusal } from './gateway-answer.js';
import { type GatewayContext } from './gateway-context.js';
import { Merchant } from './merchant.js';
import { NameDirectory } from './name-directory.js';
import { type SandboxOperation } from './operation-name.js';
import { type OperationServices } from './operation.js';
import { OPERATIONS } from './operations.js';
import { type PathParameters } from './path-template.js';
import { PayoutService } from './payout-service.js';
import { type Refusal } from './refusal.js';
import { withTwoDecimals, wrongRequest } from './request-fields.js';
import { type Rule } from './rule.js';
import { answerToUsedKey, isForgotten, placeOfKey, requestDigest } from './used-key.js';

/** One call before any check. */
interface ReceivedCall {
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
  readonly facts: ResolvedFacts;
  private readonly merchantsByName = new Map<string, Merchant>();
  /** They outlive their merchants: a test may keep one over a reset. */
  private readonly directories = new Map<string, NameDirectory>();

  constructor(private readonly context: GatewayContext) {
    this.collections = new CollectionService(context);
    this.payouts = new PayoutService(context);
    this.facts = context.profile.facts;
    this.banks = new BankRegistry(this.facts, () => {
      context.events.emit('changed', ['banks']);
    });
  }

  get merchants(): readonly Merchant[] {
    return [...this.merchantsByName.values()];
  }

  merchant(name: string): Merchant {
    const known = this.merchantsByName.get(name);
    if (known) return known;
    const { settings, events } = this.context;
    const merchant = new Merchant(name, settings.startingBalanceCents, this.directoryOf(name));
    this.merchantsByName.set(name, merchant);
    events.emit('balance', merchant);
    return merchant;
  }

  private directoryOf(name: string): NameDirectory {
    const known = this.directories.get(name);
    if (known) return known;
    const { directory: shared, events } = this.context;
    const directory = new NameDirectory(shared, () => {
      // After a reset nothing else may have made the merchant yet, and the state holds no directory without one.
      this.merchant(name);
      events.emit('changed', ['directory', name]);
    });
    this.directories.set(name, directory);
    return directory;
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

  /** Issues another pair of keys for a merchant. */
  issuePair(name: string): number {
    const merchant = this.merchant(name);
    merchant.newestPair += 1;
    this.context.events.emit('changed', ['merchant', name]);
    return merchant.newestPair;
  }

  /** Revokes every pair of a merchant's keys but the newest. */
  revokeOldPairs(name: string): void {
    const merchant = this.merchant(name);
    merchant.firstValidPair = merchant.newestPair;
    this.context.events.emit('changed', ['merchant', name]);
  }

  /** The merchant whose keys a request has, or the refusal. */
  authenticate(credentials: Credentials): string | Refusal {
    const takesPair = (name: string, number: number): boolean =>
      this.merchantsByName.get(name)?.takesPair(number) ?? number === 0;
    return authenticate(credentials, takesPair, this.facts);
  }

  handle(call: ReceivedCall): GatewayAnswer {
    const name = this.authenticate(call.credentials);
    if (typeof name !== 'string') return name;
    const merchant = this.merchant(name);
    const { idempotencyKey, operation } = call;
    const key = OPERATIONS[operation].makes ? idempotencyKey : undefined;
    if (!key) return this.perform(call, merchant);
    const request = requestDigest(operation, call.body);
    const place = placeOfKey(key, request, this.facts);
    const used = merchant.usedKeys.get(place) ?? merchant.usedKeys.get(key);
    const at = this.context.clock.now();
    const isKnown = used !== undefined && !isForgotten(used, at, this.facts);
    const repeated = isKnown ? answerToUsedKey(used, call, merchant, this.facts) : undefined;
    if (repeated) return repeated;
    const answer = this.perform(call, merchant);
    if ('data' in answer.body || this.facts['key of a refusal'] === 'used') {
      const { status, body } = answer;
      merchant.usedKeys.set(place, { request, answer: { status, body }, at });
      this.context.events.emit('changed', ['key', name, place]);
    }
    return answer;
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

  private perform(call: ReceivedCall, merchant: Merchant): GatewayAnswer {
    const { operation, parameters, idempotencyKey, rule } = call;
    const row = OPERATIONS[operation];
    const body = withTwoDecimals(call.body, this.facts);
    const refusal = wrongRequest(row, { idempotencyKey, body }, this.facts) ?? rule.refusal;
    const outcome = refusal ?? row.perform({ merchant, parameters, body, plan: rule.plan }, this);
    if (isRefusal(outcome)) return outcome;
    // The answer takes an id of the merchant.
    this.context.events.emit('changed', ['ids', merchant.name]);
    return this.success(operation, outcome, merchant);
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
