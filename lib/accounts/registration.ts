import { BanksService } from '../banks/banks.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { type ResolvedRegistration } from '../config/resolve-options.js';
import { retentionMsOf } from '../config/resolve-webhooks.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { DisbursementsService } from '../disbursements/disbursements.service.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { constantKeys } from '../gateway/account-keys.js';
import { HandlerEnlistments } from '../journal/payment/handler-enlistments.js';
import { PaymentsJournal } from '../journal/payments-journal.js';
import { NameLookupService } from '../name-lookup/name-lookup.service.js';
import { WalletService } from '../wallet/wallet.service.js';
import { type WebhookAccounts } from '../webhooks/delivery/webhook-accounts.js';
import { type PaymentHandlers } from '../webhooks/handlers/payment-handlers.js';
import { PaymentsInbox } from '../webhooks/payments-inbox.js';
import { type Account, type AccountParts, createAccount, type PaymentsAccount } from './account.js';
import { type AccountOwner } from './account-owner.js';
import { AccountPool } from './account-pool.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type ValueSealer } from '../storage/sealed/value-sealer.js';
import { type AccountRegistry } from './account-registry.js';
import { lazyService } from './lazy-service.js';
import { WebhooksOfPool } from './webhooks-of-pool.js';

/** The account, or the accounts, of one `PaymentsModule`. */
export type Registration = Pick<Account, 'services' | 'stop' | 'idle'>;

/** What the registrations of an application share. */
interface RegistrationContext extends Omit<AccountParts, 'events' | 'handlers'> {
  readonly events: ApplicationEvents;
  readonly handlers: PaymentHandlers;
  readonly webhooks: WebhookAccounts;
  readonly registry: AccountRegistry;
  /** Undefined without an encryption. */
  readonly sealer: ValueSealer | undefined;
  /** The storage as the application gave it: registrations with the same one share their entries. */
  readonly givenStorage: PaymentsStorage;
}

/** @throws PaymentsConfigError if the name is registered already, or if there is another resolver. */
export function createRegistration(
  options: ResolvedRegistration,
  context: RegistrationContext,
): Registration {
  // Now: the accounts of a resolver are made later, perhaps within a handler.
  if (context.storage.journal.within) HandlerEnlistments.expect();
  const registration = 'accounts' in options ? resolverOf(options, context) : accountOf(options, context);
  return {
    services: registration.services,
    stop: () => {
      context.registry.stop();
      registration.stop();
    },
    idle: async () => {
      await context.registry.idle();
      await registration.idle();
    },
  };
}

function accountOf(options: ResolvedPaymentsOptions, context: RegistrationContext): Registration {
  const account = createAccount(options, constantKeys(options), context);
  context.webhooks.add(options.account, account.receiver);
  const { environment, statusPaths } = options;
  context.registry.add(options.account, environment, account);
  const { turns } = account;
  context.registry.owners.push({
    ...sharedOf(options, context),
    name: options.account,
    canAskAboutPayouts: () => statusPaths.disbursement !== undefined,
    hold: () => ({ service: { environment, turns }, release: () => undefined }),
  });
  return account;
}

function resolverOf(options: ResolvedResolverOptions, context: RegistrationContext): Registration {
  const handlers = context.handlers.ofResolver(options.account);
  const pool = new AccountPool(
    options,
    (resolved, keys, inFlight) =>
      createAccount(resolved, keys, {
        ...context,
        handlers,
        events: context.events.of(resolved.account),
        inFlight,
      }),
    context.inFlight,
  );
  const webhooks = new WebhooksOfPool(pool, options.account, options, context.limitedStorage.name);
  context.webhooks.addResolver(options.account, webhooks);
  context.registry.addPool(pool);
  context.registry.owners.push({
    ...sharedOf(options, context),
    name: undefined,
    canAskAboutPayouts: (name) => (pool.lastOptions(name) ?? options).statusPaths.disbursement !== undefined,
    hold: async (name) => {
      const pooled = await pool.open(name);
      const { options: its, account } = pooled;
      return { service: { environment: its.environment, turns: account.turns }, release: pool.use(pooled) };
    },
  });
  return {
    services: servicesOfNobody(options.account),
    stop: () => {
      pool.stop();
    },
    idle: () => pool.idle(),
  };
}

function sharedOf(
  { webhooks }: Pick<ResolvedRegistration, 'webhooks'>,
  { givenStorage, limitedStorage, resealing, sealer }: RegistrationContext,
): Omit<AccountOwner, 'name' | 'canAskAboutPayouts' | 'hold'> {
  return {
    givenStorage,
    parts: limitedStorage,
    retentionMs: retentionMsOf(webhooks),
    resealing,
    sealer,
  };
}

/** Services for those who inject one, although the registration has no account of its own. */
function servicesOfNobody(account: string): PaymentsAccount {
  const none = <Service extends object>(type: {
    readonly prototype: Service;
    readonly name: string;
  }): Service =>
    lazyService(type, () => ({
      find: () =>
        Promise.reject(
          new PaymentsConfigError(
            `${type.name} was injected without an account, but the accounts of this PaymentsModule come from \`accounts.resolve\`: ` +
              'inject PaymentsAccounts, and call for(account).',
          ),
        ),
    }));
  return {
    account,
    collections: none(CollectionsService),
    disbursements: none(DisbursementsService),
    nameLookup: none(NameLookupService),
    wallet: none(WalletService),
    banks: none(BanksService),
    journal: none(PaymentsJournal),
    inbox: none(PaymentsInbox),
  };
}
