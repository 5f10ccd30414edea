import { isRecord } from '../common/json-object.js';
import { callOptionErrors, refuseUnknown } from '../errors/option-errors.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type PaymentsResolverOptions } from './accounts-options.js';
import { type PaymentsFactoryOptions } from './environment-options.js';

/**
 * For `forRootAsync({ useClass | useExisting })`.
 *
 * @publicApi
 */
export interface PaymentsOptionsFactory {
  /** Returns the options. The package calls it once, at boot. */
  createPaymentsOptions():
    | PaymentsFactoryOptions
    | PaymentsResolverOptions
    | Promise<PaymentsFactoryOptions | PaymentsResolverOptions>;
}

/** What Nest takes for the factory of a module's options. */
const OF_NEST = ['imports', 'inject', 'useFactory', 'useClass', 'useExisting', 'provideInjectionTokensFrom'];

/**
 * Checks what `forRootAsync` of a module got.
 *
 * @param settings What it may have beside the factory. Undefined: options too, which are checked at boot.
 * @throws PaymentsConfigError if there is no factory, or a setting does not exist.
 */
export function assertFactory(module: string, options: unknown, settings?: readonly string[]): void {
  const { useFactory, useClass, useExisting } = isRecord(options) ? options : {};
  if (!useFactory && !useClass && !useExisting) {
    throw new PaymentsConfigError(
      `${module}.forRootAsync has no factory: write useFactory, useClass or useExisting, or use forRoot.`,
    );
  }
  if (settings) refuseUnknown(options, [...OF_NEST, ...settings], callOptionErrors(`${module}.forRootAsync`));
}
