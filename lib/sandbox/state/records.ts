import { type Collection } from '../core/collection.js';
import { type Delivery, newDelivery, type WebhookEndpoint } from '../core/delivery.js';
import { type Merchant } from '../core/merchant.js';
import { type Payout } from '../core/payout.js';

import { type FaultState } from '../faults/fault-queue.js';

export type StoredEndpoint = ReturnType<typeof storedEndpoint>;
export type StoredDelivery = ReturnType<typeof storedDelivery>;
export type StoredFaults = ReturnType<typeof storedFaults>;
export type StoredMerchant = ReturnType<typeof storedMerchant>;

/** A record whose amounts are text, as JSON knows no bigint. */
export type StoredMoney<Money> = Omit<Money, 'amountCents' | 'feeCents'> & {
  readonly amountCents: string;
  readonly feeCents: string;
};

export function storedMoney<Money extends Collection | Payout>(record: Money): StoredMoney<Money> {
  return { ...record, amountCents: String(record.amountCents), feeCents: String(record.feeCents) };
}

export function moneyOf<Money extends Collection | Payout>(stored: StoredMoney<Money>): Money {
  const amountCents = BigInt(stored.amountCents);
  return { ...stored, amountCents, feeCents: BigInt(stored.feeCents) } as unknown as Money;
}

/** A wallet with what moved it beside the payments and payouts, and the pairs of keys: both only if there are any. */
export function storedMerchant({ wallet, adjustments, firstValidPair, newestPair }: Merchant) {
  return {
    available: String(wallet.available),
    locked: String(wallet.locked),
    adjustments:
      adjustments.length === 0
        ? undefined
        : adjustments.map((adjustment) => ({ ...adjustment, cents: String(adjustment.cents) })),
    pairs: newestPair === 0 ? undefined : { firstValid: firstValidPair, newest: newestPair },
  };
}

export function restoreMerchant(stored: StoredMerchant, merchant: Merchant): void {
  const { wallet, adjustments } = merchant;
  wallet.available = BigInt(stored.available);
  wallet.locked = BigInt(stored.locked);
  adjustments.length = 0;
  for (const { at, cents, reference } of stored.adjustments ?? [])
    adjustments.push({ at, cents: BigInt(cents), reference });
  merchant.firstValidPair = stored.pairs?.firstValid ?? 0;
  merchant.newestPair = stored.pairs?.newest ?? 0;
}

/** An endpoint without the bytes of its secrets, which their text determines. */
export function storedEndpoint(endpoint: WebhookEndpoint) {
  const secrets = endpoint.secrets.map(({ key: _, ...secret }) => secret);
  return { ...endpoint, url: endpoint.url.href, secrets };
}

/**
 * @param url Its address, checked.
 * @param secretNow The text that stands for this one now.
 */
export function endpointOf(
  stored: StoredEndpoint,
  url: URL,
  secretNow: (text: string) => string,
  keyOf: (text: string) => Uint8Array,
): WebhookEndpoint {
  const secrets = stored.secrets.map(({ expiresAt, ...secret }) => {
    const text = secretNow(secret.text);
    return { ...secret, text, key: keyOf(text), expiresAt };
  });
  const { merchant, events } = stored;
  return { ...stored, merchant, events, url, secrets };
}

/** A delivery that names its endpoint; its body is that of the event. */
export function storedDelivery({ body: _body, running: _running, endpoint, ...delivery }: Delivery) {
  return { ...delivery, endpoint: endpoint?.id };
}

export function deliveryOf(
  stored: StoredDelivery,
  endpointNamed: (id: string) => WebhookEndpoint | undefined,
): Delivery {
  const endpoint = stored.endpoint === undefined ? undefined : endpointNamed(stored.endpoint);
  const delivery = { ...newDelivery(stored.event, endpoint, 0), ...stored, endpoint };
  // Somebody removed its endpoint.
  return endpoint || delivery.state !== 'waiting' ? delivery : { ...delivery, state: 'skipped' };
}

/** JSON knows no Infinity. */
export function storedFaults(state: FaultState) {
  return {
    ...state,
    waiting: state.waiting.map((fault) => ({ ...fault, left: fault.left === Infinity ? null : fault.left })),
  };
}

export function faultsOf(stored: StoredFaults): FaultState {
  return { ...stored, waiting: stored.waiting.map((fault) => ({ ...fault, left: fault.left ?? Infinity })) };
}
