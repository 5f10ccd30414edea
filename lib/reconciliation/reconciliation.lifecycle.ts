import { type OnApplicationBootstrap } from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { AccountRegistry } from '../accounts/account-registry.js';
import { PaymentsAccounts } from '../accounts/payments-accounts.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { ReconciledAccounts } from './accounts.js';
import { type ReconciliationContext } from './reconciliation.js';
import { type ReconciliationEvents } from './reconciliation-events.js';
import { type ResolvedReconciliationOptions } from './reconciliation-options.js';

/** Checks at boot that every storage keeps closes. */
export class ReconciliationLifecycle implements OnApplicationBootstrap {
  readonly context: ReconciliationContext;
  private readonly moduleRef: () => ModuleRef;

  constructor(
    { storage, policy }: ResolvedReconciliationOptions,
    moduleRef: ModuleRef,
    private readonly events: ApplicationEvents<ReconciliationEvents>,
  ) {
    this.moduleRef = () => moduleRef;
    const accounts = new ReconciledAccounts(
      () => this.find(AccountRegistry),
      () => this.find(PaymentsAccounts),
      storage,
      events,
    );
    this.context = { accounts, policy };
  }

  onApplicationBootstrap(): void {
    this.context.accounts.checkStorages();
    this.events.onApplicationBootstrap();
  }

  private find<T>(type: abstract new (...args: never[]) => T): T {
    try {
      return this.moduleRef().get<T>(type, { strict: false });
    } catch {
      throw new PaymentsConfigError(
        'ReconciliationModule is imported, but PaymentsModule is not: add PaymentsModule.forRoot({ … }).',
      );
    }
  }
}
