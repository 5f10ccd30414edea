import { HttpService } from '@nestjs/axios';
import {
  type Abstract,
  type DynamicModule,
  forwardRef,
  type InjectionToken,
  Module,
  type Provider,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type PaymentsAccount } from './accounts/account.js';
import { AccountRegistry } from './accounts/account-registry.js';
import { PaymentsAccountsModule } from './accounts/payments-accounts.module.js';
import { createRegistration, type Registration } from './accounts/registration.js';
import { BanksService } from './banks/banks.service.js';
import { CollectionsService } from './collections/collections.service.js';
import { DEFAULT_ACCOUNT } from './common/vocabulary.js';
import { ApplicationEvents } from './common/application-events.js';
import { inFlightPlaces } from './common/in-flight.js';
import { describeSecondCopy, registerCopy } from './common/package-copies.js';
import { type PaymentsStorage } from './storage/payments-storage.js';
import { getPaymentsToken } from './common/tokens.js';
import { type PaymentsResolverOptions } from './config/accounts-options.js';
import { isRecord, withInherited } from './common/json-object.js';
import { MODULE_SETTINGS, OPTION_NAMES } from './config/option-names.js';
import { assertFactory } from './config/options-factory.js';
import { CONNECTIONS_OF_ALL } from './config/resolve-accounts.js';
import { type ResolvedRegistration } from './config/resolve-options.js';
import { DisbursementsService } from './disbursements/disbursements.service.js';
import { PaymentsConfigError } from './errors/payments-errors.js';
import { NameLookupService } from './name-lookup/name-lookup.service.js';
import { PaymentsLifecycle } from './payments.lifecycle.js';
import {
  type PaymentsModuleAsyncOptions,
  type PaymentsModuleExtras,
  type PaymentsModuleRootOptions,
  PaymentsOptionsModule,
  RESOLVED_OPTIONS,
} from './payments-options.module.js';
import { PaymentsJournal } from './journal/payments-journal.js';
import { memoryStorage } from './storage/memory/memory-storage.js';
import { Resealing } from './storage/sealed/reseal.js';
import { sealedStorage } from './storage/sealed/sealed-storage.js';
import { ValueSealer } from './storage/sealed/value-sealer.js';
import { timeLimited } from './storage/time-limited-storage.js';
import { accountTransport } from './gateway/http/account-transport.js';
import { GatewayConnections, ownAxios } from './gateway/http/gateway-connections.js';
import { WalletService } from './wallet/wallet.service.js';
import { PaymentHandlers } from './webhooks/handlers/payment-handlers.js';
import { PaymentsInbox } from './webhooks/payments-inbox.js';
import { PaymentsWebhooksModule } from './webhooks/payments-webhooks.module.js';
import { WebhookAccounts } from './webhooks/delivery/webhook-accounts.js';

registerCopy();

const REGISTRATION = Symbol.for('nestjs-payments.registration');
const EVENTS = Symbol.for('nestjs-payments.events');
const STORAGE = Symbol.for('nestjs-payments.storage');
/** Not `HttpService`: a test that overrides the application's own would cut payments off. */
const GATEWAY_HTTP = Symbol.for('nestjs-payments.gateway-http');

const SERVICES = new Map<ServiceType, keyof PaymentsAccount>([
  [CollectionsService, 'collections'],
  [DisbursementsService, 'disbursements'],
  [NameLookupService, 'nameLookup'],
  [WalletService, 'wallet'],
  [BanksService, 'banks'],
  [PaymentsInbox, 'inbox'],
  [PaymentsJournal, 'journal'],
]);
type ServiceType = Abstract<unknown>;

/** The token of a type in the account of a registration. */
type TokenOf = (type: ServiceType) => InjectionToken;

/** What the services of one registration share. */
const INTERNAL_PROVIDERS: Provider[] = [
  {
    provide: STORAGE,
    useFactory: ({ storage }: ResolvedRegistration): PaymentsStorage => storage ?? memoryStorage(),
    inject: [RESOLVED_OPTIONS],
  },
  {
    provide: EVENTS,
    useFactory: ({ account }: ResolvedRegistration, modules: ModulesContainer) =>
      new ApplicationEvents(account, modules),
    inject: [RESOLVED_OPTIONS, ModulesContainer],
  },
  {
    provide: REGISTRATION,
    useFactory: (
      options: ResolvedRegistration,
      http: HttpService,
      storage: PaymentsStorage,
      events: ApplicationEvents,
      handlers: PaymentHandlers,
      webhooks: WebhookAccounts,
      registry: AccountRegistry,
    ) => {
      // Gets and gives personal data in the clear, and keeps it sealed if there is an encryption.
      const { encryption } = options;
      const { batches } = storage;
      const sealed = encryption ? sealedStorage(storage, encryption) : storage;
      const sealer = encryption && new ValueSealer(encryption);
      const resealing =
        sealer && new Resealing({ ...timeLimited(storage), ...(batches && { batches }) }, sealer);
      const inFlight = inFlightPlaces(options.maxInFlight, options.webhooks?.maxInFlight);
      const shared = {
        storage: sealed,
        inFlight,
        limitedStorage: timeLimited(sealed),
        transport: accountTransport(http),
        resealing,
        sealer,
        givenStorage: storage,
      };
      return createRegistration(options, { ...shared, events, handlers, webhooks, registry });
    },
    inject: [
      RESOLVED_OPTIONS,
      GATEWAY_HTTP,
      STORAGE,
      EVENTS,
      PaymentHandlers,
      WebhookAccounts,
      AccountRegistry,
    ],
  },
  {
    provide: PaymentsLifecycle,
    useFactory: (...parts: ConstructorParameters<typeof PaymentsLifecycle>) =>
      new PaymentsLifecycle(...parts),
    inject: [RESOLVED_OPTIONS, STORAGE, REGISTRATION],
  },
];

/**
 * Payments for a Nest application: one registration for each merchant account, or one for all accounts that
 * `accounts.resolve` knows.
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   isGlobal: true,
 *   ...paymentsConfig.asProvider(),
 *   webhooks: {
 *     scheme: hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
 *     retentionDays: Infinity, // the signature holds no time, so an old delivery can always come again
 *   },
 * })
 * ```
 *
 * @publicApi
 */
@Module({})
export class PaymentsModule {
  /**
   * Registers an account, or a resolver of accounts, with options that are known now.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong.
   */
  static forRoot(
    options: PaymentsModuleRootOptions | (PaymentsResolverOptions & PaymentsModuleExtras),
  ): DynamicModule {
    if (!isRecord(options)) {
      throw new PaymentsConfigError(
        'PaymentsModule.forRoot has no options: write { baseUrl, apiKey, apiSecret }, or use forRootAsync.',
      );
    }
    // Nest copies the own fields of what it gets.
    const fields = withInherited(options, [...OPTION_NAMES, ...MODULE_SETTINGS]);
    return accountModule(PaymentsOptionsModule.forRoot(fields), fields);
  }

  /**
   * Registers an account, or a resolver of accounts, with options from a factory: `useFactory`, `useClass` or `useExisting`. Options
   * beside the factory override its result.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong.
   */
  static forRootAsync(options: PaymentsModuleAsyncOptions): DynamicModule {
    assertFactory('PaymentsModule', options);
    return accountModule(PaymentsOptionsModule.forRootAsync(options), options);
  }
}

function accountModule(
  optionsModule: DynamicModule,
  { isGlobal = false, name = DEFAULT_ACCOUNT }: PaymentsModuleExtras,
): DynamicModule {
  assertOneCopy();
  const tokenOf: TokenOf = (type) => getPaymentsToken(type, name);
  return {
    module: PaymentsModule,
    global: isGlobal,
    imports: [
      optionsModule,
      gatewayHttpModule(optionsModule),
      PaymentsAccountsModule,
      // Checks again when Nest reads the imports, because the second copy may load after the first check.
      // Later, Nest's own message would come first, and it does not say why a provider is missing.
      forwardRef(() => {
        assertOneCopy();
        return PaymentsWebhooksModule;
      }),
    ],
    providers: [...exportedProviders(tokenOf), ...INTERNAL_PROVIDERS],
    exports: [tokenOf(HttpService), ...[...SERVICES.keys()].map(tokenOf), PaymentsAccountsModule],
  };
}

/** What applications inject. */
function exportedProviders(tokenOf: TokenOf): Provider[] {
  return [
    {
      // Needs the registration, which has to notice when the application uses axios.
      provide: tokenOf(HttpService),
      useFactory: (http: HttpService): HttpService => http,
      inject: [GATEWAY_HTTP, REGISTRATION],
    },
    ...[...SERVICES].map(([type, name]) => ({
      provide: tokenOf(type),
      useFactory: ({ services }: Registration) => services[name],
      inject: [REGISTRATION],
    })),
  ];
}

function assertOneCopy(): void {
  const secondCopy = describeSecondCopy();
  if (secondCopy !== undefined) throw new PaymentsConfigError(secondCopy);
}

/** Closes its connections after the module that imports it has ended its calls. */
@Module({})
class GatewayHttpModule {}

/** An axios instance for this registration alone, with its own connections, pooled by origin. */
function gatewayHttpModule(optionsModule: DynamicModule): DynamicModule {
  return {
    module: GatewayHttpModule,
    imports: [optionsModule],
    providers: [
      {
        provide: GatewayConnections,
        useFactory: (options: ResolvedRegistration) =>
          new GatewayConnections(
            options,
            'accounts' in options ? CONNECTIONS_OF_ALL : options.rate.concurrency,
          ),
        inject: [RESOLVED_OPTIONS],
      },
      {
        provide: GATEWAY_HTTP,
        useFactory: (connections: GatewayConnections) =>
          new HttpService(ownAxios(connections.httpModuleOptions())),
        inject: [GatewayConnections],
      },
    ],
    exports: [GATEWAY_HTTP],
  };
}
