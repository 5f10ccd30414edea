import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CollectionsService,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
} from 'nestjs-payments';
import type { Fee, FeeState } from './fee';
import type { PayFeeDto } from './pay-fee.dto';

const TERM_FEE = '150000.00';

/** Fees live in memory here; in your application they are rows in a table. */
@Injectable()
export class FeesService {
  private readonly fees = new Map<string, Fee>();

  constructor(private readonly collections: CollectionsService) {}

  /**
   * Stores the fee before asking for money: the webhook may come before the answer. Asked again while it waits, the same
   * call under the same reference joins the first one: it sends nothing, unless the gateway certainly did not take that.
   */
  async pay({ pupil, term, phone, parent, email }: PayFeeDto): Promise<Fee> {
    const { reference, state } = this.open(pupil, term);
    if (state !== 'waiting') return this.stored(reference);
    try {
      await this.collections.mobileMoney(
        {
          reference,
          amount: TERM_FEE,
          phone,
          customer_name: parent,
          customer_email: email,
        },
        // A parent waits for the page, so there is no time for a probe. In production `recover()` makes it.
        { deadlineMs: 10_000 },
      );
    } catch (error) {
      // Only a final refusal proves that no money moved. A lost answer is neither success nor failure, and
      // other errors prove nothing: the fee waits for its outcome.
      if (error instanceof PaymentRejectedError && error.final)
        this.settle(reference, 'not paid');
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
    }
    return this.stored(reference);
  }

  find(reference: string): Fee | undefined {
    return this.fees.get(reference);
  }

  /** May be called again for a paid fee. */
  paid(reference: string, amount: string): void {
    const fee = this.stored(reference);
    this.settle(reference, amount === fee.amount ? 'paid' : 'in review');
  }

  /**
   * One fee may have several outcomes. A paid one stays paid, and a failure does not end one in review: otherwise the
   * parent would be asked for the money again.
   */
  settle(reference: string, state: FeeState): void {
    const fee = this.stored(reference);
    if (fee.state === 'paid') return;
    if (fee.state === 'in review' && state === 'not paid') return;
    this.fees.set(reference, { ...fee, state });
  }

  /** A pupil has one open payment in a term. */
  private open(pupil: string, term: string): Fee {
    const payments = [...this.fees.values()].filter(
      (fee) => fee.pupil === pupil && fee.term === term,
    );
    const last = payments.at(-1);
    if (last && last.state !== 'not paid') return last;
    // Unique also after a restart, which forgets the fees but not what the gateway has heard of them.
    const reference = `fee-${term}-${pupil}-${randomUUID()}`;
    this.fees.set(reference, {
      reference,
      pupil,
      term,
      amount: TERM_FEE,
      state: 'waiting',
    });
    return this.stored(reference);
  }

  private stored(reference: string): Fee {
    const fee = this.fees.get(reference);
    if (!fee) throw new Error(`There is no fee ${reference}.`);
    return fee;
  }
}
