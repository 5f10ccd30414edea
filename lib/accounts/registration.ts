import { BanksService } from '../banks/banks.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { type ResolvedRegistration } from '../config/resolve-options.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { DisbursementsService } from '../disbursements/disbursements.service.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { constantKeys } from '../gateway/account-keys.js';
import { PaymentsJournal } from '../journal/payments-journal.js';
import { NameLookupService } from '../name-lookup/name-lookup.service.js';
import { WalletService } from '../wallet/wallet.service.js';
import { type WebhookAccounts } from '../webhooks/delivery/webhook-accounts.js';
import { type PaymentHandlers } from '../webhooks/handlers/payment-handlers.js';
import { PaymentsInbox } from '../webhooks/payments-inbox.js';
import { type Account, type AccountSurroundings, createAccount, type PaymentsAccount } from './account.js';
import { AccountPool } from './account-pool.js';
import { type AccountRegistry } from './account-registry.js';
import { lazyService } from './lazy-service.js';
import { WebhooksOfPool } from './webhooks-of-pool.js';

/** The account, or the accounts, of one `PaymentsModule`. */
export type Registration = Pick<Account, 'services' | 'stop' | 'idle'>;

/** What the registrations of an application share. */
export interface RegistrationContext extends Omit<AccountSurroundings, 'events' | 'handlers'> {
  readonly events: ApplicationEvents;
  readonly handlers: PaymentHandlers;
  readonly webhooks: WebhookAccounts;
  readonly registry: AccountRegistry;
}

/** @throws PaymentsConfigError if the name is registered already, or if there is another resolver. */
export function createRegistration(
  options: ResolvedRegistration,
  context: RegistrationContext,
): Registration {
  return 'accounts' in options ? resolverOf(options, context) : accountOf(options, context);
}

function accountOf(options: ResolvedPaymentsOptions, context: RegistrationContext): Registration {
  const account = createAccount(options, constantKeys(options), context);
  context.webhooks.add(options.account, account.receiver);
  context.registry.add(options.account, account);
  return account;
}

function resolverOf(options: ResolvedResolverOptions, context: RegistrationContext): Registration {
  const handlers = context.handlers.ofResolver(options.account);
  const pool = new AccountPool(options, (resolved, keys) =>
    createAccount(resolved, keys, { ...context, handlers, events: context.events.of(resolved.account) }),
  );
  const webhooks = new WebhooksOfPool(pool, options.account, options, context.limitedStorage.name);
  context.webhooks.addResolver(options.account, webhooks);
  context.registry.addPool(pool);
  return {
    services: servicesOfNobody(options.account),
    stop: () => {
      pool.stop();
    },
    idle: () => pool.idle(),
  };
}

/** Services for those who inject one, although the registration has no account of its own. */
function servicesOfNobody(account: string): PaymentsAccount {
  const none = <Service extends object>(type: {
    readonly prototype: Service;
    readonly name: string;
  }): Service =>
    lazyService(type, () =>
      Promise.reject(
        new PaymentsConfigError(
          `${type.name} was injected without an account, but the accounts of this PaymentsModule come from \`accounts.resolve\`: ` +
            'inject PaymentsAccounts, and call for(account).',
        ),
      ),
    );
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
