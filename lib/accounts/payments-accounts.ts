import { Injectable } from '@nestjs/common';
import { BanksService } from '../banks/banks.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { ACCOUNT_NAME_RULE, isAccountName } from '../common/account-name.js';
import { type InFlightPlaces } from '../common/in-flight.js';
import { DisbursementsService } from '../disbursements/disbursements.service.js';
import { type InboxScope } from '../common/vocabulary.js';
import { PaymentsValidationError } from '../errors/payments-errors.js';
import { tooManyReads } from '../gateway/gateway-client.js';
import { tooManyPayments } from '../journal/payment/repeated-call-errors.js';
import { PaymentsJournal } from '../journal/payments-journal.js';
import { NameLookupService } from '../name-lookup/name-lookup.service.js';
import { WalletService } from '../wallet/wallet.service.js';
import { PaymentsInbox } from '../webhooks/payments-inbox.js';
import { type PaymentsAccount } from './account.js';
import { AccountRegistry, type AwaitedAccount } from './account-registry.js';
import { InboxOfAllAccounts } from './inbox-of-all.js';
import { JournalOfAllAccounts } from './journal-of-all.js';
import { type HeldService, lazyService, type WaitingPlaces } from './lazy-service.js';
import { WorkOverAll } from './work-over-all.js';

/**
 * All accounts that the storages of the application know, page by page, one after the other.
 *
 * @publicApi
 */
export interface AllAccounts {
  /** The journals of all accounts. */
  readonly journal: JournalOfAllAccounts;
  /** The webhooks of all accounts that were set aside. */
  readonly inbox: InboxOfAllAccounts;
  /** The accounts and environments of which the journal holds something. Asks no resolver. */
  list(): AsyncIterable<InboxScope>;
}

/**
 * The accounts of the application by name: those that `accounts.resolve` knows, and those that are registered with
 * `PaymentsModule.forRoot` or `forRootAsync`.
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
export class PaymentsAccounts {
  /** A closure, because the registry leads to the keys of every account. */
  private readonly registry: () => AccountRegistry;

  /**
   * All accounts at once: those that are registered, and those of a resolver that the storage knows.
   *
   * @example
   * ```ts
   * const { settled, skipped } = await accounts.all.journal.recover();
   * ```
   */
  readonly all: AllAccounts;

  /** @internal */
  constructor(registry: AccountRegistry) {
    this.registry = () => registry;
    const over = new WorkOverAll(registry);
    this.all = {
      journal: new JournalOfAllAccounts(over),
      inbox: new InboxOfAllAccounts(over),
      list: async function* () {
        for await (const { scope } of over.accounts('journal')) yield scope;
      },
    };
  }

  /**
   * The services of an account. Asks nobody: the first call of a service asks `accounts.resolve`, and calls for the same
   * account share its answer for `cacheMs`. So the result is cheap, and never old.
   *
   * A call rejects with `PaymentsAccountError` if there is no such account or `resolve` fails, and with
   * `PaymentsConfigError` if what it returned is wrong. Nothing was sent then.
   *
   * @param account The name of the account. Upper and lower case differ.
   * @throws PaymentsValidationError if it is no name: 1 to 64 letters, digits, dots, dashes or underscores.
   *
   * @example
   * ```ts
   * const payment = await accounts.for('shop-7').collections.mobileMoney({
   *   amount: '1180.50',
   *   reference: 'order-1',
   *   phone: '255712345678',
   *   customer_name: 'Asha Juma',
   *   customer_email: 'asha@example.com',
   * });
   * ```
   */
  for(account: string): PaymentsAccount {
    checkName(account);
    return new LazyAccount(account, () => this.registry().hold(account));
  }

  /**
   * The services of an account for work that must stay in one environment, such as a batch. While the keys of the account
   * are of another one, their calls reject with `ACCOUNT_UNAVAILABLE`. A call that has begun ends where it began.
   *
   * @internal
   */
  ofScope({ account, environment }: InboxScope): PaymentsAccount {
    return new LazyAccount(account, () => this.registry().hold(account, environment));
  }

  /**
   * Forgets the keys of an account, or that there is no such account: the next call asks `accounts.resolve`. Call it
   * when you change them. Calls that run continue with the keys that they have. Does nothing to a registered account.
   *
   * Only this process forgets. Other replicas use the old keys for `cacheMs` at most, or until the gateway answers 401.
   *
   * @throws PaymentsValidationError if it is no name.
   */
  forget(account: string): void {
    checkName(account);
    this.registry().forget(account);
  }
}

/** @throws PaymentsValidationError if it is no name of an account. */
export function checkName(account: unknown): void {
  if (isAccountName(account)) return;
  throw new PaymentsValidationError({ account: [`account must be a text of ${ACCOUNT_NAME_RULE}`] });
}

type Services = Omit<PaymentsAccount, 'account'>;

/** Makes each service when it is asked for, so that `for` costs two objects. */
class LazyAccount implements PaymentsAccount {
  declare private readonly hold: () => HeldService<PaymentsAccount> | AwaitedAccount;

  constructor(
    readonly account: string,
    hold: LazyAccount['hold'],
  ) {
    Object.defineProperty(this, 'hold', { value: hold });
  }

  get collections(): CollectionsService {
    return this.service(CollectionsService, 'collections');
  }

  get disbursements(): DisbursementsService {
    return this.service(DisbursementsService, 'disbursements');
  }

  get nameLookup(): NameLookupService {
    return this.service(NameLookupService, 'nameLookup');
  }

  get wallet(): WalletService {
    return this.service(WalletService, 'wallet');
  }

  get banks(): BanksService {
    return this.service(BanksService, 'banks');
  }

  get journal(): PaymentsJournal {
    return this.service(PaymentsJournal, 'journal');
  }

  get inbox(): PaymentsInbox {
    return this.service(PaymentsInbox, 'inbox');
  }

  private service<Name extends keyof Services>(
    type: { readonly prototype: Services[Name] },
    name: Name,
  ): Services[Name] {
    return lazyService<Services[Name]>(type, () => {
      const holding = this.hold();
      if (!('find' in holding)) return part(holding, name);
      const { find, places } = holding;
      return { find: async () => part(await find(), name), places: places && waitingPlaces(places, name) };
    });
  }
}

/** What moves money and what reads has a place while it waits for its account. Nothing else needs one. */
function waitingPlaces({ payments, reads }: InFlightPlaces, name: keyof Services): WaitingPlaces | undefined {
  switch (name) {
    case 'collections':
    case 'disbursements':
      return { inFlight: payments, refusal: tooManyPayments };
    case 'nameLookup':
    case 'wallet':
    case 'banks':
      return { inFlight: reads, refusal: tooManyReads };
    default:
      return undefined;
  }
}

function part<Name extends keyof Services>(
  { service, release }: HeldService<PaymentsAccount>,
  name: Name,
): HeldService<Services[Name]> {
  return { service: service[name], release };
}
