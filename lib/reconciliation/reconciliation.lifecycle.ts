import { type OnApplicationBootstrap } from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { ModuleAccounts } from '../accounts/module-accounts.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { ReconciledAccounts } from './reconciled-accounts.js';
import { type ReconciliationContext } from './reconciliation.js';
import { type ReconciliationEvents } from './reconciliation-events.js';
import { type ResolvedReconciliationOptions } from './reconciliation-options.js';

/** Checks at boot that every storage keeps closes. */
export class ReconciliationLifecycle implements OnApplicationBootstrap {
  readonly context: ReconciliationContext;

  constructor(
    { storage, policy }: ResolvedReconciliationOptions,
    moduleRef: ModuleRef,
    private readonly events: ApplicationEvents<ReconciliationEvents>,
  ) {
    const accounts = new ReconciledAccounts(
      new ModuleAccounts(moduleRef, 'ReconciliationModule', storage),
      events,
    );
    this.context = { accounts, policy };
  }

  onApplicationBootstrap(): void {
    this.context.accounts.checkStorages();
    this.events.onApplicationBootstrap();
  }
}
