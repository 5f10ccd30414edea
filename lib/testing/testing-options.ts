import { type PaymentsModuleOptions } from '../config/payments-options.js';
import { type WebhookOptions } from '../config/webhook-options.js';
import { type PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { type PaymentsSandboxOptions } from '../sandbox/sandbox-options.js';

/**
 * The options of an account under test. Address, keys, webhook scheme and secrets are the emulator's. To sign
 * like the real gateway, write `sandbox: { webhookScheme }`.
 *
 * @publicApi
 */
export type PaymentsTestedOptions = Partial<
  Omit<PaymentsModuleOptions, 'baseUrl' | 'apiKey' | 'apiSecret' | 'environment' | 'webhooks'>
> & {
  /** Options of webhooks, except scheme and secrets, which are the emulator's. */
  readonly webhooks?: Partial<Omit<WebhookOptions, 'scheme' | 'secrets'>>;
};

/**
 * Options of `PaymentsTestingModule.forApplication`. They override the application's options.
 *
 * @publicApi
 */
export type PaymentsTestingOverrides = PaymentsTestedOptions & {
  /**
   * Options of the emulator, whose default clock is manual and default seed is 1. Or a running emulator, for
   * example to outlive the application, which then does not stop it.
   * @default { clock: 'manual', seed: 1 }
   */
  readonly sandbox?: PaymentsSandboxOptions | PaymentsSandbox;
};

/**
 * Options of `PaymentsTestingModule.forRoot`.
 *
 * @publicApi
 */
export type PaymentsTestingOptions = PaymentsTestingOverrides & {
  /** Names of the accounts. The options apply to each of them. @default ['default'] */
  readonly accounts?: readonly [string, ...string[]];
  /** Whether every module can inject the services without importing this one. @default true */
  readonly isGlobal?: boolean;
};
