import { Injectable } from '@nestjs/common';
import { canonicalAmount } from '../common/money.js';
import { MONEY_OPERATIONS } from '../common/operations.js';
import { DISBURSEMENT_STATUSES } from '../common/vocabulary.js';
import { NamedInTokens } from '../common/tokens.js';
import {
  type ListedValues,
  type PaymentsResponse,
  readPaymentRecord,
  wireAmount,
} from '../gateway/answer/wire-record.js';
import { type CallOptions } from '../gateway/call-options.js';
import { type MoneyCall } from '../gateway/gateway-call.js';
import { type RequestRules } from '../gateway/gateway-client.js';
import { validateRequest } from '../gateway/validation/validate-request.js';
import { type EnlistedPayment, type EnlistOptions } from '../journal/payment/enlisting.js';
import { type Payments } from '../journal/payment/payments.js';
import { type BankDisbursement, BankDisbursementDto } from './bank-disbursement.js';
import { type MobileMoneyDisbursement, MobileMoneyDisbursementDto } from './mobile-money-disbursement.js';

const MONEY_FIELDS = ['amount', 'fee', 'total_amount'] as const;
const BANK_VALUES: ListedValues = [['status', DISBURSEMENT_STATUSES]];
const MOBILE_MONEY_VALUES: ListedValues = [...BANK_VALUES, ['channel', ['MOBILE_MONEY']]];

/**
 * Sends money from the merchant's wallet. Look the recipient up right before with `NameLookupService`; an accepted
 * payout is not delivered yet.
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
@NamedInTokens('DisbursementsService')
export class DisbursementsService {
  /** @internal */
  constructor(private readonly payments: Payments) {}

  /**
   * Sends money to a bank account (specification, "Endpoints" 6).
   *
   * @throws PaymentsValidationError Nothing was sent: the request is wrong.
   * @throws PaymentRejectedError The gateway refused, for example `INSUFFICIENT_BALANCE`. If `final` is true, no money moved.
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
   * Writes a bank payout down in a transaction of the application, together with the application's own rows. It is made
   * if the transaction commits: call `send()` of the result after the commit. What is enlisted in an `@OnPayment` handler
   * is sent after the handler's commit. `PaymentsJournal.recover()` sends what neither did. A rollback leaves nothing.
   *
   * Enlisting the same payment again, in this transaction or another one, gives the same payment, in the state that it
   * has. If another open transaction has enlisted the reference, this one waits for its end.
   *
   * @param transaction The open transaction, as the storage knows it: a client of `pg`, the object of an ORM (`sqlStorage`),
   * a `DatabaseSync`, or `context.transaction` of a handler.
   * @throws PaymentsValidationError The request is wrong.
   * @throws PaymentsConfigError The storage has no transactions, or `transaction` is none of its database.
   * @throws ReferenceReusedError The reference belongs to another payment, or its payment has ended.
   * @throws PaymentOutcomeUnknownError A call of the same payment is under way, or its outcome is unknown: roll the
   * transaction back.
   * @throws PaymentsStorageError It could not be written: roll the transaction back.
   *
   * @example
   * ```ts
   * await client.query('BEGIN');
   * await client.query("UPDATE invoices SET state = 'paying' WHERE id = $1", [invoice.id]);
   * const planned = await this.disbursements.enlistBank(client, {
   *   reference: invoice.id,
   *   bank_code: 'ABC',
   *   account_number: '0150123456789',
   *   account_name: verified.account_name,
   *   amount: '250000',
   *   remarks: 'Invoice 17',
   * });
   * await client.query('COMMIT');
   * const payout = await planned.send();
   * ```
   */
  async enlistBank(
    transaction: unknown,
    request: Readonly<BankDisbursementDto>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<BankDisbursement>> {
    return this.payments.enlist(transaction, bankCall(request, this.payments.rules), options);
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

  /**
   * Writes a mobile money payout down in a transaction of the application, as `enlistBank` does.
   *
   * @param transaction The open transaction, as the storage knows it: a client of `pg`, the object of an ORM (`sqlStorage`),
   * a `DatabaseSync`, or `context.transaction` of a handler.
   * @throws PaymentsError The same classes as `enlistBank`.
   */
  async enlistMobileMoney(
    transaction: unknown,
    request: Readonly<MobileMoneyDisbursementDto>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<MobileMoneyDisbursement>> {
    return this.payments.enlist(transaction, mobileMoneyCall(request, this.payments.rules), options);
  }
}

/** Checks a request for a bank payout and makes the call of it. */
function bankCall(request: unknown, rules: RequestRules): MoneyCall<BankDisbursement> {
  const operation = 'disbursement.bank';
  const allowed = { limits: rules.limits.disbursement };
  const dto = validateRequest(BankDisbursementDto, request, operation, allowed);
  const amount = canonicalAmount(dto.amount);
  const { family, path } = MONEY_OPERATIONS[operation];
  return {
    kind: family,
    operation,
    method: 'POST',
    path,
    payment: { reference: dto.reference, amount, currency: 'TZS' },
    body: {
      reference: dto.reference,
      bank_code: dto.bank_code,
      account_number: dto.account_number,
      account_name: dto.account_name,
      amount: wireAmount(amount, rules.amountFormat.disbursements),
      currency: 'TZS',
      remarks: dto.remarks,
      metadata: dto.metadata,
    },
    read: (data) => readPaymentRecord(data, MONEY_FIELDS, BANK_VALUES),
  };
}

/** Checks a request for a mobile money payout and makes the call of it. */
function mobileMoneyCall(request: unknown, rules: RequestRules): MoneyCall<MobileMoneyDisbursement> {
  const operation = 'disbursement.mobile-money';
  const allowed = { limits: rules.limits.disbursement, networks: rules.networks };
  const dto = validateRequest(MobileMoneyDisbursementDto, request, operation, allowed);
  const amount = canonicalAmount(dto.amount);
  const { family, path } = MONEY_OPERATIONS[operation];
  return {
    kind: family,
    operation,
    method: 'POST',
    path,
    payment: { reference: dto.reference, amount, currency: 'TZS' },
    body: {
      reference: dto.reference,
      recipient_phone: dto.recipient_phone,
      recipient_name: dto.recipient_name,
      amount: wireAmount(amount, rules.amountFormat.disbursements),
      currency: 'TZS',
      network: dto.network,
      remarks: dto.remarks,
      metadata: dto.metadata,
    },
    read: (data) => readPaymentRecord(data, MONEY_FIELDS, MOBILE_MONEY_VALUES),
  };
}
