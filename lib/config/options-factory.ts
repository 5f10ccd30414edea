import { type PaymentsResolverOptions } from './accounts-options.js';
import { type PaymentsModuleOptions } from './payments-options.js';

/**
 * For `forRootAsync({ useClass | useExisting })`.
 *
 * @publicApi
 */
export interface PaymentsOptionsFactory {
  /** Returns the options. The package calls it once, at boot. */
  createPaymentsOptions():
    | PaymentsModuleOptions
    | PaymentsResolverOptions
    | Promise<PaymentsModuleOptions | PaymentsResolverOptions>;
}
