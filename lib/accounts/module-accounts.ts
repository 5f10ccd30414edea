import { type ModuleRef } from '@nestjs/core';
import { quoted } from '../common/quoted.js';
import { type InboxScope, type PaymentsEnvironment } from '../common/vocabulary.js';
import { PaymentsAccountError } from '../errors/payments-account.error.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type AccountOwner, ownerOf } from './account-owner.js';
import { AccountRegistry } from './account-registry.js';
import { type PaymentsAccount } from './account.js';
import { checkName, PaymentsAccounts } from './payments-accounts.js';

interface ModuleAccount {
  /** With the environment that was asked for, or else that of its keys when it was opened. */
  readonly scope: InboxScope;
  /** They stay in that environment: their calls reject while the keys are of another one. */
  readonly services: PaymentsAccount;
  readonly owner: AccountOwner;
}

/** The accounts of `PaymentsModule`, as a module beside it sees them. */
export class ModuleAccounts {
  /** A closure, because it leads to the keys of every account. */
  private readonly moduleRef: () => ModuleRef;

  constructor(
    moduleRef: ModuleRef,
    /** The module beside `PaymentsModule`. */
    private readonly importedName: string,
    /** Undefined: the storage of `PaymentsModule`. */
    private readonly storage: PaymentsStorage | undefined,
  ) {
    this.moduleRef = () => moduleRef;
  }

  /**
   * Opens an account.
   *
   * @param environment Without it, that of the keys that the account has now. With it, nobody is asked for keys yet.
   * @throws PaymentsAccountError if there is no such account.
   * @throws PaymentsValidationError if `account` is no name.
   */
  async open(account: string, environment?: PaymentsEnvironment): Promise<ModuleAccount> {
    checkName(account);
    const accounts = this.find(PaymentsAccounts);
    const owner = ownerOf(this.owners(), account);
    if (!owner)
      throw new PaymentsAccountError(
        'ACCOUNT_UNKNOWN',
        `There is no account ${quoted(account)}: name one that PaymentsModule registers.`,
      );
    const scope = { account, environment: environment ?? (await environmentOf(account, owner)) };
    return { scope, services: accounts.ofScope(scope), owner };
  }

  /** Where the module keeps what belongs to an account. */
  storageOf({ givenStorage }: AccountOwner): PaymentsStorage {
    return this.storage ?? givenStorage;
  }

  /** The storages of all accounts, each once. */
  storages(): readonly PaymentsStorage[] {
    return [...new Set(this.owners().map((owner) => this.storageOf(owner)))];
  }

  private owners(): readonly AccountOwner[] {
    return this.find(AccountRegistry).owners;
  }

  private find<T>(type: abstract new (...args: never[]) => T): T {
    try {
      return this.moduleRef().get<T>(type, { strict: false });
    } catch {
      throw new PaymentsConfigError(
        `${this.importedName} is imported, but PaymentsModule is not: add PaymentsModule.forRoot({ … }).`,
      );
    }
  }
}

/** The environment of the keys that an account has now. */
async function environmentOf(account: string, owner: AccountOwner): Promise<PaymentsEnvironment> {
  const { service, release } = await owner.hold(account);
  const { environment } = service;
  release();
  return environment;
}
