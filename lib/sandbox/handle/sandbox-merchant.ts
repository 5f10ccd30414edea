import { type PaymentsModuleOptions } from '../../config/payments-options.js';
import { sandboxBalance } from '../control/record-mappers.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from '../control/records.js';
import { type SandboxParts } from '../control/sandbox-parts.js';
import { type NameDirectory } from '../core/name-directory.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { NextCall } from '../faults/next-call.js';
import { SandboxCustomer } from './customer.js';
import { SandboxPayoutProvider } from './payout-provider.js';

/**
 * One merchant of a sandbox, with wallet, payments, names, faults and webhook address of its own: tests that run beside
 * each other share one server without seeing each other.
 *
 * @example
 * ```ts
 * const shop = sandbox.merchant(`worker-${process.env.JEST_WORKER_ID}`);
 * PaymentsModule.forRoot(shop.moduleOptions());
 * shop.deliverTo('http://127.0.0.1:3000/webhooks/payments');
 * await shop.reset();
 * ```
 *
 * @publicApi
 */
export class SandboxMerchant {
  /** @internal */
  constructor(
    /** The `x` of its key pair `pk_test_x` / `sk_test_x`. */
    readonly name: string,
    private readonly parts: SandboxParts,
  ) {}

  /** Who holds which account: what was registered here counts for this merchant alone. */
  get directory(): NameDirectory {
    return this.parts.gateway.merchant(this.name).directory;
  }

  /** Options for `PaymentsModule.forRoot`: base address, keys, and how webhooks are signed. */
  moduleOptions(): PaymentsModuleOptions {
    const { scheme, secret } = this.parts.endpoints.settings;
    return {
      baseUrl: this.parts.view.baseUrl,
      apiKey: `pk_test_${this.name}`,
      apiSecret: `sk_test_${this.name}`,
      // The emulator's usual scheme signs no time, and then nothing handled may be forgotten.
      webhooks: { scheme, secrets: [secret], retentionDays: Infinity },
    };
  }

  /**
   * Sends this merchant's webhooks to this address, whatever `sandbox.deliverTo` says.
   *
   * @throws PaymentsConfigError where it is not an address on this machine (unless `allowRemoteWebhooks`), or
   * holds a password.
   */
  deliverTo(address: string | URL): void {
    this.parts.endpoints.deliverTo(address, this.name);
  }

  /** The customer behind a phone number (`255XXXXXXXXX`). */
  customer(phone: string): SandboxCustomer {
    return new SandboxCustomer(this.parts.gateway, phone, this.name);
  }

  /** The provider that carries a payout out. */
  payout(reference: string): SandboxPayoutProvider {
    return new SandboxPayoutProvider(this.parts.gateway, reference, this.name);
  }

  /**
   * Plans a fault for this merchant's next call of an operation.
   *
   * @throws PaymentsConfigError where the gateway has no such operation: the fault would never apply.
   */
  next(operation: SandboxOperation, { reference }: { readonly reference?: string } = {}): NextCall {
    const { name: merchant } = this;
    const selection = reference === undefined ? { merchant } : { merchant, reference };
    return new NextCall(this.parts.faults, operation, selection);
  }

  /** Its payments, oldest first. */
  payments(): readonly SandboxPayment[] {
    return this.own(this.parts.view.payments());
  }

  /** Its payouts, oldest first. */
  payouts(): readonly SandboxPayout[] {
    return this.own(this.parts.view.payouts());
  }

  /** Its calls among the newest 1,000 under `/api/v1`, oldest first, secrets masked. */
  requests(): readonly SandboxRequest[] {
    return this.own(this.parts.journal.list());
  }

  /** Its webhook events with their tries, oldest first. */
  deliveries(): readonly SandboxDelivery[] {
    return this.own(this.parts.view.deliveries());
  }

  /** Its wallet. */
  balance(): SandboxBalance {
    return sandboxBalance(this.parts.gateway.merchant(this.name));
  }

  /** Everything that happened to a reference, as text for people, without secrets and personal data. */
  explain(reference: string): string {
    return this.parts.timeline.describe(reference, this.name);
  }

  /**
   * Forgets this merchant's payments, payouts, keys, wallet, names, faults, requests and deliveries, and
   * gives up what is under way. Its webhook address and its ids go on.
   */
  async reset(): Promise<void> {
    await this.parts.reset(this.name);
  }

  private own<Entry extends { readonly merchant: string | null }>(
    entries: readonly Entry[],
  ): readonly Entry[] {
    return entries.filter(({ merchant }) => merchant === this.name);
  }
}
