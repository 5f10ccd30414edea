import { BanksService } from '../banks/banks.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { type InFlightPlaces } from '../common/in-flight.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { DisbursementsService } from '../disbursements/disbursements.service.js';
import { type AccountKeys } from '../gateway/account-keys.js';
import { createGatewayClient } from '../gateway/gateway-client.js';
import { type HttpTransport } from '../gateway/http/http-transport.js';
import { type AccountJournal, createAccountJournal } from '../journal/create-journal.js';
import { createPayments } from '../journal/payment/payments.js';
import { type PaymentsJournal } from '../journal/payments-journal.js';
import { NameLookupService } from '../name-lookup/name-lookup.service.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type Resealing } from '../storage/sealed/reseal.js';
import { type TimeLimitedStorage } from '../storage/time-limited-storage.js';
import { WalletService } from '../wallet/wallet.service.js';
import { createWebhooks, type HandlersOfAccount } from '../webhooks/create-webhooks.js';
import { type WebhookReceiver } from '../webhooks/delivery/webhook-receiver.js';
import { type PaymentsInbox } from '../webhooks/payments-inbox.js';

/**
 * The services of one merchant account.
 *
 * @publicApi
 */
export interface PaymentsAccount {
  /** The name of the account. */
  readonly account: string;
  /** Asks customers for money. */
  readonly collections: CollectionsService;
  /** Pays out to banks and mobile wallets. */
  readonly disbursements: DisbursementsService;
  /** Asks whose account a number is. */
  readonly nameLookup: NameLookupService;
  /** Reads the merchant's wallet. */
  readonly wallet: WalletService;
  /** Lists the banks. */
  readonly banks: BanksService;
  /** All payments of the account. */
  readonly journal: PaymentsJournal;
  /** The webhooks of the account that were set aside. */
  readonly inbox: PaymentsInbox;
}

/** The parts of an application that an account works with. */
export interface AccountParts {
  readonly storage: PaymentsStorage;
  /** For everything except calls that move money, which roll back late writes themselves. */
  readonly limitedStorage: TimeLimitedStorage;
  readonly transport: HttpTransport;
  readonly inFlight: InFlightPlaces;
  readonly events: Pick<ApplicationEvents, 'emit'>;
  readonly handlers: HandlersOfAccount;
  /** Undefined without an encryption. */
  readonly resealing: Resealing | undefined;
}

/** One account at work, whether its options were known at boot or came from a resolver. */
export interface Account {
  readonly services: PaymentsAccount;
  /** Undefined if the account receives no webhooks. */
  readonly receiver: WebhookReceiver | undefined;
  /** Its share in a run over all accounts. */
  readonly turns: AccountJournal['turns'];
  /** Begins nothing new by itself. */
  stop(): void;
  /** Resolves when all running calls have ended and are written down. */
  idle(): Promise<void>;
}

/** None of the parts keeps the options, which contain the keys. */
export function createAccount(
  options: ResolvedPaymentsOptions,
  keys: AccountKeys,
  { storage, limitedStorage, transport, inFlight, events, handlers, resealing }: AccountParts,
): Account {
  const gateway = createGatewayClient(options, transport, keys, inFlight.reads);
  const payments = createPayments(options, storage.journal, events, gateway, inFlight.payments);
  const { journal: store, conflicts } = limitedStorage;
  const accountJournal = createAccountJournal({
    options,
    store,
    gateway,
    payments,
    events,
    conflicts,
    resealing,
  });
  const { inbox, receiver } = createWebhooks(
    options,
    limitedStorage,
    handlers,
    accountJournal,
    events,
    inFlight.webhooks,
  );
  return {
    services: {
      account: options.account,
      collections: new CollectionsService(payments),
      disbursements: new DisbursementsService(payments),
      nameLookup: new NameLookupService(gateway),
      wallet: new WalletService(gateway),
      banks: new BanksService(gateway),
      journal: accountJournal.journal,
      inbox,
    },
    receiver,
    turns: accountJournal.turns,
    stop: () => {
      accountJournal.stop();
      payments.stop();
    },
    idle: async () => {
      await accountJournal.idle();
      await payments.idle();
    },
  };
}
