import { canonicalAmount } from '../common/money.js';
import { COLLECTION_STATUSES } from '../common/vocabulary.js';
import { type RequestRules } from '../gateway/gateway-client.js';
import { type MoneyCall, type ReadPayload, MONEY_PATHS } from '../gateway/gateway-call.js';
import {
  asRecord,
  unlistedValue,
  withMetadata,
  withMoney,
  wireAmount,
} from '../gateway/answer/wire-record.js';
import { limitErrors, validateRequest, type RequestClass } from '../gateway/validation/validate-request.js';
import { type MobileMoneyCollectionDto } from './collection.dto.js';
import { type CollectionPayment } from './collection-payment.js';

/** The two ways of asking for money. Both take the same request and return the same record. */
export interface CollectionRoute {
  readonly operation: 'collection.mobile-money' | 'collection.partner-wallet';
  readonly requestClass: RequestClass<MobileMoneyCollectionDto>;
  /** What the record's `payment_method` says. */
  readonly paymentMethod: string;
}

/** Checks a request and makes the call of it. */
export function collectionCall(
  route: CollectionRoute,
  request: unknown,
  rules: RequestRules,
): MoneyCall<CollectionPayment> {
  const dto = validateRequest(route.requestClass, request, route.operation, ({ amount }) =>
    limitErrors(amount, rules.limits.collection),
  );
  const amount = canonicalAmount(dto.amount);
  return {
    kind: 'collection',
    operation: route.operation,
    method: 'POST',
    path: MONEY_PATHS[route.operation],
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
    read: (data) => readPayment(data, route.paymentMethod),
  };
}

function readPayment(data: unknown, paymentMethod: string): ReadPayload<CollectionPayment> | undefined {
  const wire = asRecord(data);
  if (!wire) return undefined;
  const { record, warnings } = withMoney(wire, ['amount', 'fee', 'net_amount']);
  return {
    value: withMetadata(record) as unknown as CollectionPayment,
    warnings: [
      ...warnings,
      ...unlistedValue(wire, 'status', COLLECTION_STATUSES),
      ...unlistedValue(wire, 'payment_method', [paymentMethod]),
    ],
  };
}
