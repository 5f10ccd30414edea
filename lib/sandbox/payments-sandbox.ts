import { type Server } from 'node:http';
import { type PaymentsModuleOptions } from '../config/payments-options.js';
import { type SandboxClock } from './clock/sandbox-clock.js';
import { type ComposedSandbox, replaceState } from './compose.js';
import { type SandboxActivity } from './control/activity.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from './control/records.js';
import { DEFAULT_MERCHANT } from './core/merchant.js';
import { type NameDirectory } from './core/name-directory.js';
import { type SandboxOperation } from './core/operation-name.js';
import { type SandboxRequest } from './core/request-journal.js';
import { type CallSelection, NextCall } from './faults/next-call.js';
import { SandboxCustomer } from './handle/customer.js';
import { SandboxPayoutProvider } from './handle/payout-provider.js';
import {
  assertSelection,
  type MerchantSelection,
  SandboxMerchant,
  type StatementPeriod,
} from './handle/sandbox-merchant.js';
import { close, portOf, unref } from './http/http-server.js';
import { urlHost } from './http/loopback.js';
import { type SandboxSettings } from './resolve-sandbox-options.js';
import { type PaymentsSandboxOptions } from './sandbox-options.js';
import { startEmulator } from './start-emulator.js';
import { entriesOf, exportState, type SandboxState } from './state/state-entry.js';
import { type StateRecorder } from './state/state-recorder.js';

/**
 * The whole gateway on this machine: real HTTP, state, signed webhooks, faults and a clock that you can move.
 *
 * @example
 * ```ts
 * const sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
 * PaymentsModule.forRoot(sandbox.moduleOptions());
 * sandbox.deliverTo('http://127.0.0.1:3000/webhooks/payments');
 * await sandbox.customer('255712345678').approve('order-1');
 * await sandbox.stop();
 * ```
 *
 * @publicApi
 */
export class PaymentsSandbox {
  /** Address of the page and the control API, without a trailing slash. */
  readonly url: string;

  /** @internal */
  constructor(
    private readonly settings: SandboxSettings,
    private readonly parts: ComposedSandbox,
    private readonly server: Server,
    private readonly recorder: StateRecorder | undefined,
  ) {
    this.url = `http://${urlHost(settings.host)}:${portOf(server)}`;
    parts.view.baseUrl = this.baseUrl;
  }

  /**
   * Starts an emulator. It keeps the process running until `stop()`.
   *
   * @throws PaymentsConfigError if an option is wrong or the port is taken.
   */
  static async start(options: PaymentsSandboxOptions = {}): Promise<PaymentsSandbox> {
    const { settings, parts, server, recorder } = await startEmulator(options);
    return new PaymentsSandbox(settings, parts, server, recorder);
  }

  /** Base address of the gateway's operations; ends in `/api/v1`. */
  get baseUrl(): string {
    return `${this.url}/api/v1`;
  }

  /** The link that opens the page: with the token, if the page demands one. */
  get pageUrl(): string {
    return this.pageUrlAt(this.url);
  }

  /** The token that the control API and the page demand; undefined if they demand none. */
  get controlToken(): string | undefined {
    return this.settings.controlToken;
  }

  /** The seed of the ids: the same seed gives the same ids. */
  get seed(): number {
    return this.settings.seed;
  }

  /** The time that expiry, redelivery and automatic outcomes follow. */
  get clock(): SandboxClock {
    return this.parts.clock;
  }

  /** The account holders, for lookups and bank payouts. */
  get directory(): NameDirectory {
    return this.parts.directory;
  }

  /** The secret that signs webhooks. */
  get webhookSecret(): string {
    return this.settings.webhookSecret;
  }

  /**
   * Options for `PaymentsModule.forRoot`: base address, keys and webhook signature.
   *
   * @throws PaymentsConfigError if the name does not fit a key pair, or an option is unknown.
   */
  moduleOptions({ merchant = DEFAULT_MERCHANT, ...others }: MerchantSelection = {}): PaymentsModuleOptions {
    assertSelection(others, 'moduleOptions()');
    return this.merchant(merchant).moduleOptions();
  }

  /** One merchant with its own data, for parallel tests. @throws PaymentsConfigError if the name fits no key pair. */
  merchant(name: string): SandboxMerchant {
    return new SandboxMerchant(name, this.parts);
  }

  /**
   * Sends webhooks to this address from now on, also those that are due. A merchant with its own address keeps it. What
   * the folder of `data` has overdue goes there too, if you call this right after `await PaymentsSandbox.start()`, before
   * you await anything else.
   *
   * @throws PaymentsConfigError if the address is not on this machine (unless `allowRemoteWebhooks`) or holds a password.
   */
  deliverTo(address: string | URL): void {
    this.parts.endpoints.deliverTo(address);
  }

  /** The customer behind a phone number (`255XXXXXXXXX`). @throws PaymentsConfigError if an option is unknown. */
  customer(phone: string, { merchant, ...others }: MerchantSelection = {}): SandboxCustomer {
    assertSelection(others, 'customer()');
    return new SandboxCustomer(this.parts.gateway, phone, merchant);
  }

  /** The provider of a payout. @throws PaymentsConfigError if an option is unknown. */
  payout(reference: string, { merchant, ...others }: MerchantSelection = {}): SandboxPayoutProvider {
    assertSelection(others, 'payout()');
    return new SandboxPayoutProvider(this.parts.gateway, reference, merchant);
  }

  /**
   * Plans a fault for the next call of an operation.
   *
   * @throws PaymentsConfigError if the gateway has no such operation, or an option is unknown.
   * @example
   * ```ts
   * sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
   * ```
   */
  next(operation: SandboxOperation, selection: CallSelection = {}): NextCall {
    return new NextCall(this.parts.faults, operation, selection);
  }

  /** Every payment, oldest first within its merchant. */
  payments(): readonly SandboxPayment[] {
    return this.parts.view.payments();
  }

  /** @internal Every payment that succeeded, and whose reference a later one took. */
  replacedPayments() {
    return this.parts.view.replacedPayments();
  }

  /** Every payout, oldest first within its merchant. */
  payouts(): readonly SandboxPayout[] {
    return this.parts.view.payouts();
  }

  /** The newest calls under `/api/v1` with their answers (4 MiB), oldest first, with masked secrets. */
  requests(): readonly SandboxRequest[] {
    return this.parts.journal.list();
  }

  /** @internal How many calls of an operation `requests()` no longer has, because newer ones took their place. */
  droppedRequests(operation: SandboxOperation): number {
    return this.parts.journal.droppedOf(operation);
  }

  /** Every webhook event with its tries, oldest first. */
  deliveries(): readonly SandboxDelivery[] {
    return this.parts.view.deliveries();
  }

  /** A merchant's wallet. @throws PaymentsConfigError if the name does not fit a key pair, or an option is unknown. */
  balance({ merchant = DEFAULT_MERCHANT, ...others }: MerchantSelection = {}): SandboxBalance {
    assertSelection(others, 'balance()');
    return this.merchant(merchant).balance();
  }

  /**
   * A merchant's statement of a period as CSV text, which `csvStatement()` reads.
   *
   * @throws PaymentsConfigError if the name does not fit a key pair, a date does not exist, or an option is unknown.
   */
  statement({ merchant = DEFAULT_MERCHANT, ...period }: MerchantSelection & StatementPeriod = {}): string {
    assertSelection(period, 'statement()', ['from', 'to']);
    return this.merchant(merchant).statement(period);
  }

  /**
   * Describes what happened to a reference: requests with the rule that fired, changes of status, webhook
   * tries with their answers. The text contains no secrets and no personal data. A reference without a payment,
   * payout or webhook is forgotten with its requests.
   *
   * @example
   * ```ts
   * console.log(sandbox.explain('order-1'));
   * ```
   */
  explain(reference: string): string {
    return this.parts.timeline.describe(reference);
  }

  /**
   * Listens to events. Returns a function that removes the listener.
   *
   * @example
   * ```ts
   * sandbox.on('delivery', ({ event, status }) => console.log(event, status));
   * ```
   */
  on<Topic extends keyof SandboxActivity>(
    topic: Topic,
    listener: (value: SandboxActivity[Topic]) => void,
  ): () => void {
    return this.parts.activity.on(topic, listener);
  }

  /**
   * Clears payments, payouts, keys, wallets, names, faults, requests and deliveries, and aborts running calls
   * and deliveries. Keeps the webhook addresses and the clock, and continues the ids. An `advance` that runs ends where it is.
   */
  async reset(): Promise<void> {
    await this.parts.reset();
  }

  /** @internal The page's link at another address of this machine. */
  pageUrlAt(url: string): string {
    return this.controlToken === undefined ? `${url}/` : `${url}/?token=${this.controlToken}`;
  }

  /** @internal The addresses that get webhooks. */
  get endpoints(): ComposedSandbox['endpoints'] {
    return this.parts.endpoints;
  }

  /** @internal Resolves if the sandbox can no longer keep its state in the folder of `data`. */
  get failed(): Promise<Error> | undefined {
    return this.recorder?.failed;
  }

  /** The whole state as a JSON value, for `import()` of another sandbox or `sandbox import`. */
  export(): SandboxState {
    return exportState(this.parts.state);
  }

  /**
   * Replaces the whole state with an exported one: payments, wallets, webhook addresses, clock. What is due continues.
   * Keeps this sandbox's webhook secret. An `advance` that runs ends, and resolves.
   *
   * @throws PaymentsConfigError if it is no exported state; nothing has changed then.
   */
  async import(state: SandboxState): Promise<void> {
    await replaceState(this.settings, this.parts, entriesOf(state, 'The import'));
  }

  /** @internal Lets the process end without `stop()`, which a test cannot call if its application did not boot. */
  unref(): void {
    unref(this.server);
  }

  /** @internal Drops the calls that get no answer, now and from now on: nobody needs to wait for `stop()`. */
  dropHanging(): void {
    this.parts.gatewayRoute.dropHanging();
  }

  /** Aborts running calls and deliveries, closes every connection and frees the port. */
  async stop(): Promise<void> {
    try {
      this.recorder?.close();
    } finally {
      await this.parts.clear();
      await close(this.server);
    }
  }

  /** Calls `stop()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Shows the address in a log, not the keys. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `PaymentsSandbox { ${this.url} }`;
  }
}
