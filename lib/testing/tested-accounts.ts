import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { mergeOptions } from '../config/merge-options.js';
import { isRecord } from '../common/json-object.js';
import { type WebhookOptions } from '../config/webhook-options.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { DEFAULT_MERCHANT } from '../sandbox/core/merchant.js';
import { type SandboxMerchant } from '../sandbox/handle/sandbox-merchant.js';
import { type PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { type PaymentsTestedOptions } from './testing-options.js';

/** A test cannot wait fifteen seconds for a probe. Only the waits differ. */
const SHORT_WAITS: PaymentsTestedOptions = {
  retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
  probe: { collections: { afterAnswerMs: 1, afterSilenceMs: 1 }, disbursements: false },
};

/** The accounts of the application under test, each a merchant of the emulator. */
export class TestedAccounts {
  private readonly merchants = new Map<string, string>();
  private hasResolver = false;

  constructor(
    readonly sandbox: PaymentsSandbox,
    private readonly overrides: PaymentsTestedOptions,
  ) {}

  names(): readonly string[] {
    return [...this.merchants.keys()];
  }

  /** Whether there is no account under test, and no resolver of accounts. */
  get isEmpty(): boolean {
    return this.merchants.size === 0 && !this.hasResolver;
  }

  merchantOf(account: string): SandboxMerchant {
    return this.sandbox.merchant(this.merchants.get(account) ?? DEFAULT_MERCHANT);
  }

  /**
   * Options that connect an account with the emulator only. An account without webhooks stays without: its
   * routes must fail under test as they do in production.
   */
  optionsOf(account: string, options: unknown): unknown {
    // The later check of the options reports the problem.
    if (!isRecord(options)) return options;
    const { accounts } = options;
    if (isRecord(accounts)) return this.resolverOptionsOf(options, accounts);
    this.merchants.set(account, this.newMerchantFor(account));
    const asked = mergeOptions(mergeOptions(SHORT_WAITS, options), this.overrides);
    const { webhooks, ...emulated } = this.merchantOf(account).moduleOptions();
    const changes = { ...emulated, environment: 'sandbox', webhooks: changesOfWebhooks(asked, webhooks) };
    return mergeOptions(asked, changes);
  }

  /** The application's resolver still says which accounts there are, and their options; only the keys are the emulator's. */
  private resolverOptionsOf(
    options: Record<string, unknown>,
    accounts: Record<string, unknown>,
  ): Record<string, unknown> {
    this.hasResolver = true;
    const { resolve } = accounts;
    const asked = mergeOptions(mergeOptions(SHORT_WAITS, options), this.overrides);
    const { baseUrl, webhooks } = this.sandbox.moduleOptions();
    const { secrets, ...shared } = webhooks ?? { secrets: [] };
    const changes = { baseUrl, webhooks: changesOfWebhooks(asked, shared) };
    const emulated = async (account: string): Promise<unknown> => {
      const own: unknown = await (resolve as (account: string) => unknown).call(accounts, account);
      if (!isRecord(own)) return own;
      const { apiKey, apiSecret } = this.resolvedMerchant(account).moduleOptions();
      const keys = { apiKey, apiSecret, environment: 'sandbox', auth: 'headers', baseUrl };
      return { ...own, ...keys, ...(isRecord(own['webhooks']) && { webhooks: { secrets } }) };
    };
    return {
      ...(mergeOptions(asked, changes) as Record<string, unknown>),
      accounts: typeof resolve === 'function' ? { ...accounts, resolve: emulated } : accounts,
    };
  }

  private resolvedMerchant(account: string): SandboxMerchant {
    if (!this.merchants.has(account)) this.merchants.set(account, this.newMerchantFor(account));
    return this.merchantOf(account);
  }

  private newMerchantFor(account: string): string {
    const merchant = account === DEFAULT_ACCOUNT ? DEFAULT_MERCHANT : account.replaceAll('.', '-');
    const [other] = [...this.merchants].find(([, taken]) => taken === merchant) ?? [];
    if (other === undefined || other === account) return merchant;
    throw new PaymentsConfigError(
      `The accounts '${other}' and '${account}' would both be the merchant '${merchant}' of the emulator, with one wallet: ` +
        'give one of them another name, or test them in two applications.',
    );
  }
}

/**
 * What the emulator changes in the section `webhooks`: its scheme and secrets. The retention that its default scheme needs
 * counts only if nobody names one. Undefined if the account receives no webhooks.
 */
function changesOfWebhooks(
  asked: unknown,
  emulated: Partial<WebhookOptions> | undefined,
): Partial<WebhookOptions> | undefined {
  const own = isRecord(asked) ? asked['webhooks'] : undefined;
  if (!isRecord(own) || !emulated) return undefined;
  const { retentionDays: _, ...needed } = emulated;
  return own['retentionDays'] === undefined ? emulated : needed;
}
