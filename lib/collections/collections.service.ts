import { Injectable } from '@nestjs/common';
import { canonicalAmount } from '../common/money.js';
import { MONEY_OPERATIONS } from '../common/operations.js';
import { COLLECTION_STATUSES } from '../common/vocabulary.js';
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
import { type RequestClass } from '../gateway/validation/field-rules.js';
import { validateRequest } from '../gateway/validation/validate-request.js';
import { type EnlistedPayment, type EnlistOptions } from '../journal/payment/enlisting.js';
import { type Payments } from '../journal/payment/payments.js';
import { MobileMoneyCollectionDto, PartnerWalletCollectionDto } from './collection.dto.js';
import { type CollectionPayment } from './collection-payment.js';

const MONEY_FIELDS = ['amount', 'fee', 'net_amount'] as const;

/** The two ways of asking for money. Both take the same request and return the same record. */
interface CollectionRoute {
  readonly operation: 'collection.mobile-money' | 'collection.partner-wallet';
  readonly requestClass: RequestClass<MobileMoneyCollectionDto>;
  readonly listed: ListedValues;
}

const MOBILE_MONEY: CollectionRoute = {
  operation: 'collection.mobile-money',
  requestClass: MobileMoneyCollectionDto,
  listed: listedValues('mobile_money'),
};

const PARTNER_WALLET: CollectionRoute = {
  operation: 'collection.partner-wallet',
  requestClass: PartnerWalletCollectionDto,
  listed: listedValues('partnerpesa'),
};

function listedValues(paymentMethod: string): ListedValues {
  return [
    ['status', COLLECTION_STATUSES],
    ['payment_method', [paymentMethod]],
  ];
}

/**
 * Asks customers for money. An accepted request is not a payment yet: the outcome comes with the webhook.
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
@NamedInTokens('CollectionsService')
export class CollectionsService {
  /** @internal */
  constructor(private readonly payments: Payments) {}

  /**
   * Sends a mobile money prompt to a customer's phone (specification, "Endpoints" 1).
   *
   * @throws PaymentsValidationError Nothing was sent: the request is wrong.
   * @throws PaymentRejectedError The gateway refused. If `final` is true, no money moved.
   * @throws PaymentOutcomeUnknownError The customer may have been asked, or may have paid.
   * @throws PaymentsError Every other class of the package, as its name says.
   *
   * @example
   * ```ts
   * const payment = await this.collections.mobileMoney({
   *   amount: '1180.50',
   *   reference: order.id,
   *   phone: '255712345678',
   *   customer_name: 'Asha Juma',
   *   customer_email: 'asha@example.com',
   * });
   * ```
   */
  async mobileMoney(
    request: Readonly<MobileMoneyCollectionDto>,
    options?: CallOptions,
  ): Promise<PaymentsResponse<CollectionPayment>> {
    return this.payments.make(collectionCall(MOBILE_MONEY, request, this.payments.rules), options);
  }

  /**
   * Sends a push to the customer's partner wallet app (specification, "Endpoints" 2).
   *
   * @throws PaymentsError The same classes as `mobileMoney`.
   */
  async partnerWallet(
    request: Readonly<PartnerWalletCollectionDto>,
    options?: CallOptions,
  ): Promise<PaymentsResponse<CollectionPayment>> {
    return this.payments.make(collectionCall(PARTNER_WALLET, request, this.payments.rules), options);
  }

  /**
   * Writes a mobile money prompt down in a transaction of the application, together with the application's own rows. It
   * is sent if the transaction commits: call `send()` of the result after the commit. What is enlisted in an
   * `@OnPayment` handler is sent after the handler's commit. `PaymentsJournal.recover()` sends what neither did. A
   * rollback leaves nothing.
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
   * await client.query('INSERT INTO orders (id) VALUES ($1)', [order.id]);
   * const planned = await this.collections.enlistMobileMoney(client, {
   *   amount: '1180.50',
   *   reference: order.id,
   *   phone: '255712345678',
   *   customer_name: 'Asha Juma',
   *   customer_email: 'asha@example.com',
   * });
   * await client.query('COMMIT');
   * const payment = await planned.send();
   * ```
   */
  async enlistMobileMoney(
    transaction: unknown,
    request: Readonly<MobileMoneyCollectionDto>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<CollectionPayment>> {
    const call = collectionCall(MOBILE_MONEY, request, this.payments.rules);
    return this.payments.enlist(transaction, call, options);
  }

  /**
   * Writes a push to the customer's partner wallet app down in a transaction of the application, as
   * `enlistMobileMoney` does.
   *
   * @param transaction The open transaction, as the storage knows it: a client of `pg`, the object of an ORM (`sqlStorage`),
   * a `DatabaseSync`, or `context.transaction` of a handler.
   * @throws PaymentsError The same classes as `enlistMobileMoney`.
   */
  async enlistPartnerWallet(
    transaction: unknown,
    request: Readonly<PartnerWalletCollectionDto>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<CollectionPayment>> {
    const call = collectionCall(PARTNER_WALLET, request, this.payments.rules);
    return this.payments.enlist(transaction, call, options);
  }
}

/** Checks a request and makes the call of it. */
function collectionCall(
  route: CollectionRoute,
  request: unknown,
  rules: RequestRules,
): MoneyCall<CollectionPayment> {
  const allowed = { limits: rules.limits.collection };
  const dto = validateRequest(route.requestClass, request, route.operation, allowed);
  const amount = canonicalAmount(dto.amount);
  const { family, path } = MONEY_OPERATIONS[route.operation];
  return {
    kind: family,
    operation: route.operation,
    method: 'POST',
    path,
    payment: { reference: dto.reference, amount, currency: 'TZS' },
    body: {
      amount: wireAmount(amount, rules.amountFormat.collections),
      currency: 'TZS',
      reference: dto.reference,
      phone: dto.phone,
      customer_name: dto.customer_name,
      customer_email: dto.customer_email,
      metadata: dto.metadata,
    },
    read: (data) => readPaymentRecord(data, MONEY_FIELDS, route.listed),
  };
}
