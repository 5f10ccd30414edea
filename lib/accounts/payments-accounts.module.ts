import { Module } from '@nestjs/common';
import { AccountRegistry } from './account-registry.js';
import { PaymentsAccounts } from './payments-accounts.js';

/** What all registrations of an application share. */
@Module({
  providers: [AccountRegistry, PaymentsAccounts],
  exports: [AccountRegistry, PaymentsAccounts],
})
export class PaymentsAccountsModule {}
