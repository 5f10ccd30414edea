import { randomUUID } from 'node:crypto';
import { Injectable, NotFoundException } from '@nestjs/common';
import {
  DisbursementsService,
  formatTzs,
  NameLookupService,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
} from 'nestjs-payments';
import { type Payout } from './payout.js';
import { type PreparePayoutDto } from './prepare-payout.dto.js';

/** Pays suppliers in two steps: looks up the holder, then sends once what a person has confirmed. */
@Injectable()
export class PayoutsService {
  private readonly payouts = new Map<string, Payout>();

  constructor(
    private readonly lookups: NameLookupService,
    private readonly disbursements: DisbursementsService,
  ) {}

  async prepare({ bank_code, account_number, amount }: PreparePayoutDto): Promise<Payout> {
    const { account_name } = await this.lookups.lookup({ channel: 'BANK', bank_code, account_number });
    const reference = `supplier-${randomUUID().slice(0, 8)}`;
    const account = { bank_code, account_number, account_name };
    return this.save({ reference, ...account, amount, amountText: formatTzs(amount), status: 'prepared' });
  }

  /**
   * Confirming twice sends once: the first step sets the reference, and the status leaves `prepared` before
   * sending. Confirming what awaits its outcome makes the same call again, which sends nothing unless the gateway
   * certainly did not take it.
   */
  async confirm(reference: string): Promise<Payout> {
    const payout = this.find(reference);
    if (payout.status !== 'prepared' && payout.status !== 'awaiting-outcome') return payout;
    this.save({ ...payout, status: 'sending' });
    try {
      await this.send(payout);
      return this.save({ ...payout, status: 'accepted' });
    } catch (error) {
      // Only this proves that no money moved.
      if (error instanceof PaymentRejectedError && error.final) {
        this.save({ ...payout, status: 'refused' });
        throw error;
      }
      const open = this.save({ ...payout, status: 'awaiting-outcome' });
      if (error instanceof PaymentOutcomeUnknownError) return open;
      throw error;
    }
  }

  private async send({ reference, bank_code, account_number, account_name, amount }: Payout): Promise<void> {
    const recipient = { bank_code, account_number, account_name };
    await this.disbursements.bank({ reference, amount, ...recipient, remarks: 'Supplier payment' });
  }

  private find(reference: string): Payout {
    const payout = this.payouts.get(reference);
    if (!payout) throw new NotFoundException(`There is no payout ${reference}.`);
    return payout;
  }

  private save(payout: Payout): Payout {
    this.payouts.set(payout.reference, payout);
    return payout;
  }
}
