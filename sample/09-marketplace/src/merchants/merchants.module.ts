import { Module } from '@nestjs/common';
import { KeyBox } from './key-box.js';
import { MerchantsTable } from './merchants.table.js';

/** Apart from the controller, which needs `PaymentsAccounts`: `PaymentsModule` itself needs the table. */
@Module({ providers: [KeyBox, MerchantsTable], exports: [MerchantsTable] })
export class MerchantsModule {}
