import { HttpModule, HttpService } from '@nestjs/axios';
import { type DynamicModule, forwardRef, type InjectionToken, Module, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BanksService } from './banks/banks.service.js';
import { CollectionsService } from './collections/collections.service.js';
import { DEFAULT_ACCOUNT } from './common/vocabulary.js';
import { ApplicationEvents } from './common/application-events.js';
import { describeSecondCopy, registerCopy } from './common/package-copies.js';
import { type PaymentsStorage } from './storage/payments-storage.js';
import { getPaymentsToken } from './common/tokens.js';
import { type ResolvedPaymentsOptions } from './config/resolved-options.js';
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
import { createRecovery, type Recovery } from './journal/create-recovery.js';
import { createPayments, type Payments } from './journal/payment/payments.js';
import { PaymentsJournal } from './journal/payments-journal.js';
import { memoryStorage } from './storage/memory/memory-storage.js';
import { timeLimited } from './storage/time-limited-storage.js';
import { createGatewayClient, type GatewayClient } from './gateway/gateway-client.js';
import { GatewayConnections } from './gateway/http/gateway-connections.js';
import { WalletService } from './wallet/wallet.service.js';
import { PaymentHandlers } from './webhooks/handlers/payment-handlers.js';
import { PaymentsInbox } from './webhooks/payments-inbox.js';
import { PaymentsWebhooksModule } from './webhooks/payments-webhooks.module.js';
import { WebhookAccounts } from './webhooks/delivery/webhook-accounts.js';
import { createPaymentsInbox } from './webhooks/webhook-providers.js';

registerCopy();

const GATEWAY_CLIENT = Symbol.for('nestjs-payments.gateway-client');
const PAYMENTS = Symbol.for('nestjs-payments.payments');
const EVENTS = Symbol.for('nestjs-payments.events');
const STORAGE = Symbol.for('nestjs-payments.storage');
/** For everything except calls that move money, which roll back late writes themselves. */
const LIMITED_STORAGE = Symbol.for('nestjs-payments.limited-storage');
const RECOVERY = Symbol.for('nestjs-payments.recovery');

/** Services that read call the gateway; services that move money call the journal. */
const READING_SERVICES = [NameLookupService, WalletService, BanksService] as const;
const PAYMENT_SERVICES = [CollectionsService, DisbursementsService] as const;
const EXPORTED_TYPES = [
  HttpService,
  ...READING_SERVICES,
  ...PAYMENT_SERVICES,
  PaymentsInbox,
  PaymentsJournal,
] as const;

/** The token of a type in the account of a registration. */
type TokenOf = (type: (typeof EXPORTED_TYPES)[number]) => InjectionToken;

/** What the services of one account share. */
const INTERNAL_PROVIDERS: Provider[] = [
  {
    provide: GATEWAY_CLIENT,
    useFactory: createGatewayClient,
    inject: [RESOLVED_OPTIONS, HttpService],
  },
  {
    provide: PAYMENTS,
    useFactory: (
      options: ResolvedPaymentsOptions,
      storage: PaymentsStorage,
      events: ApplicationEvents,
      gateway: GatewayClient,
    ) => createPayments(options, storage.journal, events, gateway),
    inject: [RESOLVED_OPTIONS, STORAGE, EVENTS, GATEWAY_CLIENT],
  },
  {
    provide: STORAGE,
    useFactory: ({ storage }: ResolvedPaymentsOptions): PaymentsStorage => storage ?? memoryStorage(),
    inject: [RESOLVED_OPTIONS],
  },
  {
    provide: LIMITED_STORAGE,
    useFactory: timeLimited,
    inject: [STORAGE],
  },
  {
    provide: EVENTS,
    useFactory: ({ account }: ResolvedPaymentsOptions, modules: ModulesContainer) =>
      new ApplicationEvents(account, modules),
    inject: [RESOLVED_OPTIONS, ModulesContainer],
  },
  {
    provide: RECOVERY,
    useFactory: (
      options: ResolvedPaymentsOptions,
      storage: PaymentsStorage,
      gateway: GatewayClient,
      payments: Payments,
      events: ApplicationEvents,
    ) => createRecovery(options, storage.journal, gateway, payments, events),
    inject: [RESOLVED_OPTIONS, LIMITED_STORAGE, GATEWAY_CLIENT, PAYMENTS, EVENTS],
  },
  {
    provide: PaymentsLifecycle,
    useFactory: (...parts: ConstructorParameters<typeof PaymentsLifecycle>) =>
      new PaymentsLifecycle(...parts),
    inject: [RESOLVED_OPTIONS, STORAGE, PAYMENTS, RECOVERY],
  },
];

/**
 * Payments for a Nest application: one registration for each merchant account.
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
   * Registers an account with options that are known now.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong.
   */
  static forRoot(options: PaymentsModuleRootOptions): DynamicModule {
    return accountModule(PaymentsOptionsModule.forRoot(options), options);
  }

  /**
   * Registers an account with options from a factory: `useFactory`, `useClass` or `useExisting`. Options
   * beside the factory override its result.
   *
   * @throws PaymentsConfigError at boot, if an option is wrong.
   */
  static forRootAsync(options: PaymentsModuleAsyncOptions): DynamicModule {
    if (!options.useFactory && !options.useClass && !options.useExisting) {
      throw new PaymentsConfigError(
        'PaymentsModule.forRootAsync has no factory: write useFactory, useClass or useExisting, or use forRoot.',
      );
    }
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
      ownHttpModule(optionsModule),
      // Checks again when Nest reads the imports, because the second copy may load after the first check.
      // Later, Nest's own message would come first, and it does not say why a provider is missing.
      forwardRef(() => {
        assertOneCopy();
        return PaymentsWebhooksModule;
      }),
    ],
    providers: [...exportedProviders(tokenOf), ...INTERNAL_PROVIDERS],
    exports: EXPORTED_TYPES.map(tokenOf),
  };
}

/** What applications inject. */
function exportedProviders(tokenOf: TokenOf): Provider[] {
  return [
    {
      // Needs the client, which has to notice when anybody uses axios.
      provide: tokenOf(HttpService),
      useFactory: (http: HttpService): HttpService => http,
      inject: [HttpService, GATEWAY_CLIENT],
    },
    ...READING_SERVICES.map((Service) => ({
      provide: tokenOf(Service),
      useFactory: (gateway: GatewayClient) => new Service(gateway),
      inject: [GATEWAY_CLIENT],
    })),
    ...PAYMENT_SERVICES.map((Service) => ({
      provide: tokenOf(Service),
      useFactory: (payments: Payments) => new Service(payments),
      inject: [PAYMENTS],
    })),
    {
      provide: tokenOf(PaymentsInbox),
      useFactory: createPaymentsInbox,
      inject: [RESOLVED_OPTIONS, LIMITED_STORAGE, WebhookAccounts, PaymentHandlers, RECOVERY, EVENTS],
    },
    {
      provide: tokenOf(PaymentsJournal),
      useFactory: ({ journal }: Recovery) => journal,
      inject: [RECOVERY],
    },
  ];
}

function assertOneCopy(): void {
  const secondCopy = describeSecondCopy();
  if (secondCopy !== undefined) throw new PaymentsConfigError(secondCopy);
}

/** An axios instance for this account alone, with its own connections. */
function ownHttpModule(optionsModule: DynamicModule): DynamicModule {
  return HttpModule.registerAsync({
    imports: [optionsModule],
    extraProviders: [
      {
        provide: GatewayConnections,
        useFactory: (options: ResolvedPaymentsOptions) => new GatewayConnections(options),
        inject: [RESOLVED_OPTIONS],
      },
    ],
    inject: [GatewayConnections],
    useFactory: (connections: GatewayConnections) => connections.httpModuleOptions(),
  });
}
