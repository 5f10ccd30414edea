import { Injectable } from '@nestjs/common';
import { type CallOptions } from '../gateway/call-options.js';
import { type Payments } from '../journal/payment/payments.js';
import { type PaymentsResponse } from '../gateway/gateway-call.js';
import { collectionCall, type CollectionRoute } from './collection-call.js';
import { MobileMoneyCollectionDto, PartnerWalletCollectionDto } from './collection.dto.js';
import { type CollectionPayment } from './collection-payment.js';

const MOBILE_MONEY: CollectionRoute = {
  operation: 'collection.mobile-money',
  requestClass: MobileMoneyCollectionDto,
  paymentMethod: 'mobile_money',
};

const PARTNER_WALLET: CollectionRoute = {
  operation: 'collection.partner-wallet',
  requestClass: PartnerWalletCollectionDto,
  paymentMethod: 'partnerpesa',
};

/**
 * Asks customers for money. An accepted request is not a payment yet: the outcome comes with the webhook.
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
export class CollectionsService {
  constructor(private readonly payments: Payments) {}

  /**
   * Sends a mobile money prompt to a customer's phone (specification, "Endpoints" 1).
   *
   * @throws PaymentsValidationError Nothing was sent: the request is wrong.
   * @throws PaymentRejectedError The gateway definitely refused.
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
}
