import { Injectable } from '@nestjs/common';
import { type CallOptions } from '../gateway/call-options.js';
import { type Payments } from '../journal/payment/payments.js';
import { type PaymentsResponse } from '../gateway/gateway-call.js';
import { bankCall, mobileMoneyCall } from './disbursement-calls.js';
import { type BankDisbursementDto, type MobileMoneyDisbursementDto } from './disbursement.dto.js';
import { type BankDisbursement, type MobileMoneyDisbursement } from './disbursement-records.js';

/**
 * Sends money from the merchant's wallet. Look the recipient up right before with `NameLookupService`; an accepted
 * payout is not delivered yet.
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
export class DisbursementsService {
  constructor(private readonly payments: Payments) {}

  /**
   * Sends money to a bank account (specification, "Endpoints" 6).
   *
   * @throws PaymentsValidationError Nothing was sent: the request is wrong.
   * @throws PaymentRejectedError The gateway definitely refused, for example `INSUFFICIENT_BALANCE`.
   * @throws PaymentOutcomeUnknownError The money may have left the wallet: never send it again under another reference.
   * @throws PaymentsError Every other class of the package, as its name says.
   *
   * @example
   * ```ts
   * const payout = await this.disbursements.bank({
   *   reference: invoice.id,
   *   bank_code: 'ABC',
   *   account_number: '0150123456789',
   *   account_name: verified.account_name,
   *   amount: '250000',
   *   remarks: 'Invoice 17',
   * });
   * ```
   */
  async bank(
    request: Readonly<BankDisbursementDto>,
    options?: CallOptions,
  ): Promise<PaymentsResponse<BankDisbursement>> {
    return this.payments.make(bankCall(request, this.payments.rules), options);
  }

  /**
   * Sends money to a mobile money wallet (specification, "Endpoints" 7).
   *
   * @throws PaymentsError The same classes as `bank`.
   */
  async mobileMoney(
    request: Readonly<MobileMoneyDisbursementDto>,
    options?: CallOptions,
  ): Promise<PaymentsResponse<MobileMoneyDisbursement>> {
    return this.payments.make(mobileMoneyCall(request, this.payments.rules), options);
  }
}
