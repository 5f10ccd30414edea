import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { CollectionsService, isPaymentsError } from 'nestjs-payments';
import type { Fee, FeeState } from './fee';
import type { PayFeeDto } from './pay-fee.dto';

const TERM_FEE = '150000.00';

/** Fees live in memory here; in your application they are rows in a table. */
@Injectable()
export class FeesService {
  private readonly fees = new Map<string, Fee>();

  constructor(private readonly collections: CollectionsService) {}

  /** Stores the fee before asking for money: the webhook may come before the answer. */
  async pay({ pupil, phone, parent, email }: PayFeeDto): Promise<Fee> {
    const reference = `fee-${randomUUID()}`;
    this.fees.set(reference, {
      reference,
      pupil,
      amount: TERM_FEE,
      state: 'waiting',
    });
    try {
      await this.collections.mobileMoney(
        {
          reference,
          amount: TERM_FEE,
          phone,
          customer_name: parent,
          customer_email: email,
        },
        // A parent waits for the page, so there is no time for a probe. The webhook brings the outcome.
        { deadlineMs: 10_000 },
      );
    } catch (error) {
      // A fee is not paid only if the request was definitely not sent or refused. A lost answer is neither
      // success nor failure, and other errors prove nothing: the fee waits for the webhook.
      if (!isPaymentsError(error)) throw error;
      if (!error.mayHaveBeenProcessed) {
        this.settle(reference, 'not paid');
        throw error;
      }
    }
    return this.stored(reference);
  }

  find(reference: string): Fee | undefined {
    return this.fees.get(reference);
  }

  settle(reference: string, state: FeeState): void {
    this.fees.set(reference, { ...this.stored(reference), state });
  }

  private stored(reference: string): Fee {
    const fee = this.fees.get(reference);
    if (!fee) throw new Error(`There is no fee ${reference}.`);
    return fee;
  }
}
