import { type PaymentsModuleOptions } from '../../config/payments-options.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { sandboxBalance } from '../control/record-mappers.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from '../control/records.js';
import { type SandboxParts } from '../control/sandbox-parts.js';
import { type ReplacedPayment } from '../core/replaced-payment.js';
import { isMerchantName, pairOf, type SandboxKeyPair } from '../core/credentials.js';
import { type NameDirectory } from '../core/name-directory.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { statementOf } from '../core/statement.js';
import { NextCall } from '../faults/next-call.js';
import { SandboxCustomer } from './customer.js';
import { SandboxPayoutProvider } from './payout-provider.js';

/**
 * Selects a merchant by the `x` of its key pair `pk_test_x` / `sk_test_x`.
 *
 * @publicApi
 */
export interface MerchantSelection {
  /** The `x` of the key pair. @default every merchant; the one of `moduleOptions()` if the method takes only one */
  readonly merchant?: string;
}

/**
 * The time of a statement.
 *
 * @publicApi
 */
export interface StatementPeriod {
  /** The first moment of it. @default the beginning */
  readonly from?: Date;
  /** The first moment after it. @default it has no end */
  readonly to?: Date;
}

/** @throws PaymentsConfigError for an option of a call that does not exist: without its merchant, it has another one. */
export function assertSelection(others: object, call: string, names: readonly string[] = []): void {
  refuseUnknown(others, ['merchant', ...names], callOptionErrors(call));
}

/**
 * One merchant of a sandbox, with its own wallet, payments, names, faults and webhook address. Parallel tests
 * share one server without seeing each other's data.
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
  ) {
    if (!isMerchantName(name)) {
      throw new PaymentsConfigError(
        "A merchant's name has 1 to 64 letters, digits, hyphens and underscores: write 'shop-1' for pk_test_shop-1.",
      );
    }
  }

  /** The account holders. Registrations here count only for this merchant, until its next reset. */
  get directory(): NameDirectory {
    return this.parts.gateway.merchant(this.name).directory;
  }

  /** Options for `PaymentsModule.forRoot`: base address, keys and webhook signature. */
  moduleOptions(): PaymentsModuleOptions {
    const { scheme, secret } = this.parts.endpoints.settings;
    return {
      baseUrl: this.parts.view.baseUrl,
      ...pairOf(this.name, this.parts.gateway.merchant(this.name).newestPair),
      // The emulator's default scheme signs no time, so the inbox must never forget an outcome.
      webhooks: { scheme, secrets: [secret], retentionDays: Infinity },
    };
  }

  /**
   * Sends this merchant's webhooks to this address from now on, whatever `sandbox.deliverTo` says. Those that are due
   * at the address of an earlier call go to it too.
   *
   * @throws PaymentsConfigError if the address is not on this machine (unless `allowRemoteWebhooks`) or
   * contains a password.
   */
  deliverTo(address: string | URL): void {
    this.parts.endpoints.deliverTo(address, this.name);
  }

  /**
   * Issues a new pair of keys, for tests of a rotation. The old pairs work until `revokeOldKeys`. `reset` of the merchant
   * takes all of it back; the folder of `data` keeps it.
   */
  rotateKeys(): SandboxKeyPair {
    return pairOf(this.name, this.parts.gateway.issuePair(this.name));
  }

  /** From now on the gateway answers 401 to every pair but the one that was issued last. */
  revokeOldKeys(): void {
    this.parts.gateway.revokeOldPairs(this.name);
  }

  /** The customer behind a phone number (`255XXXXXXXXX`). */
  customer(phone: string): SandboxCustomer {
    return new SandboxCustomer(this.parts.gateway, phone, this.name);
  }

  /** The provider of a payout. */
  payout(reference: string): SandboxPayoutProvider {
    return new SandboxPayoutProvider(this.parts.gateway, reference, this.name);
  }

  /**
   * Plans a fault for this merchant's next call of an operation.
   *
   * @throws PaymentsConfigError if the gateway has no such operation, or an option is unknown.
   */
  next(operation: SandboxOperation, selection: { readonly reference?: string } = {}): NextCall {
    refuseUnknown(selection, ['reference'], callOptionErrors('next()'));
    return new NextCall(this.parts.faults, operation, { ...selection, merchant: this.name });
  }

  /** The merchant's payments, oldest first. */
  payments(): readonly SandboxPayment[] {
    return this.own(this.parts.view.payments());
  }

  /** @internal The merchant's payments that succeeded, and whose reference a later one took. */
  replacedPayments(): readonly ReplacedPayment[] {
    return this.own(this.parts.view.replacedPayments());
  }

  /** The merchant's payouts, oldest first. */
  payouts(): readonly SandboxPayout[] {
    return this.own(this.parts.view.payouts());
  }

  /** The merchant's calls among the newest under `/api/v1` (4 MiB), oldest first, with masked secrets. */
  requests(): readonly SandboxRequest[] {
    return this.own(this.parts.journal.list());
  }

  /** @internal How many calls of an operation `requests()` no longer has, because newer ones took their place. */
  droppedRequests(operation: SandboxOperation): number {
    return this.parts.journal.droppedOf(operation, this.name);
  }

  /** The merchant's webhook events with their tries, oldest first. */
  deliveries(): readonly SandboxDelivery[] {
    return this.own(this.parts.view.deliveries());
  }

  /** The merchant's wallet. */
  balance(): SandboxBalance {
    return sandboxBalance(this.parts.gateway.merchant(this.name));
  }

  /**
   * The merchant's statement of a period as CSV text, which `csvStatement()` reads: what moved money, the oldest first.
   *
   * @throws PaymentsConfigError if a date does not exist, or an option is unknown.
   */
  statement({ from, to, ...others }: StatementPeriod = {}): string {
    refuseUnknown(others, ['from', 'to'], callOptionErrors('statement()'));
    const span = { from: from?.getTime(), to: to?.getTime() };
    if (Object.values(span).some(Number.isNaN)) {
      throw new PaymentsConfigError(
        "`from` and `to` must be dates: write new Date('2026-11-20T00:00:00+03:00').",
      );
    }
    return statementOf(this.parts.gateway.merchant(this.name), span);
  }

  /** Describes what happened to a reference, without secrets and personal data. */
  explain(reference: string): string {
    return this.parts.timeline.describe(reference, this.name);
  }

  /**
   * Clears this merchant's payments, payouts, keys, wallet, names, faults, requests and deliveries, and
   * aborts its running calls and deliveries. Keeps its webhook address and continues its ids.
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
