import { type PaymentsModuleOptions } from '../config/payments-options.js';
import { type WebhookOptions } from '../config/webhook-options.js';
import { type PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { type PaymentsSandboxOptions } from '../sandbox/sandbox-options.js';

/**
 * The options of an account under test. Address, keys, webhook scheme and secrets are the emulator's; to sign
 * as the real gateway does, write `sandbox: { webhookScheme }`.
 *
 * @publicApi
 */
export type PaymentsTestedOptions = Partial<
  Omit<PaymentsModuleOptions, 'baseUrl' | 'apiKey' | 'apiSecret' | 'environment' | 'webhooks'>
> & {
  /** How webhooks are received; scheme and secrets are the emulator's. */
  readonly webhooks?: Partial<Omit<WebhookOptions, 'scheme' | 'secrets'>>;
};

/**
 * What `PaymentsTestingModule.forApplication` takes. What is said here counts more than what the application says.
 *
 * @publicApi
 */
export type PaymentsTestingOverrides = PaymentsTestedOptions & {
  /**
   * How the emulator starts; its clock is manual and its seed 1 unless said. Or one that runs already, for
   * example because it is to outlive the application: then it is not stopped with it.
   * @default { clock: 'manual', seed: 1 }
   */
  readonly sandbox?: PaymentsSandboxOptions | PaymentsSandbox;
};

/**
 * What `PaymentsTestingModule.forRoot` takes.
 *
 * @publicApi
 */
export type PaymentsTestingOptions = PaymentsTestingOverrides & {
  /** Names of the accounts; the options hold for each of them. @default ['default'] */
  readonly accounts?: readonly [string, ...string[]];
  /** Whether the services can be injected everywhere without importing the module again. @default true */
  readonly isGlobal?: boolean;
};
