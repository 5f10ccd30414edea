import { optionalTimestamp } from '../clock/timestamp.js';
import { type Collection } from '../core/collection.js';
import { addressOf, type Delivery } from '../core/delivery.js';
import { type Merchant } from '../core/merchant.js';
import { type Payout } from '../core/payout.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { isFinal } from '../core/status-machine.js';
import { type Listing } from './lists.js';
import { sandboxBalance, sandboxDelivery, sandboxPayment, sandboxPayout } from './record-mappers.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from './records.js';
import { type SandboxPaymentWebhook } from './resources.js';

// The lists of the control API: their entries as the emulator keeps them, their filters and their items.

/** A payment in `GET /payments`. */
type ListedPayment = SandboxPayment & { readonly webhook: SandboxPaymentWebhook | null };

export function paymentListing(
  merchants: readonly Merchant[],
  deliveries: readonly Delivery[],
): Listing<Collection, ListedPayment> {
  return {
    entries: inOrder(merchants.map(({ collections }) => [...collections.values()])),
    filters: {
      merchant: ({ merchant }) => merchant,
      status: ({ status }) => status,
      customer_phone: ({ request }) => request.phone,
    },
    flags: {
      open: ({ status }) => !isFinal('collection', status),
      failed: ({ status }) => isFinal('collection', status) && status !== 'success',
    },
    texts: ({ merchant, request, channel, status, providerReference }) => [
      request.reference,
      request.customer_name,
      request.phone,
      String(request.amount),
      providerReference,
      merchant,
      channel,
      status,
    ],
    key: ({ merchant, request }) => JSON.stringify([merchant, request.reference]),
    items: (payments) => {
      const webhookOf = newestDelivery(deliveries, payments);
      return payments.map((payment) => ({ ...sandboxPayment(payment), webhook: webhookOf(payment) }));
    },
  };
}

export function payoutListing(merchants: readonly Merchant[]): Listing<Payout, SandboxPayout> {
  return {
    entries: inOrder(merchants.map(({ payouts }) => [...payouts.values()])),
    filters: {
      merchant: ({ merchant }) => merchant,
      status: ({ status }) => status,
      kind: ({ recipient }) => recipient.kind,
    },
    flags: {
      open: ({ status }) => !isFinal('disbursement', status),
      failed: ({ status }) => isFinal('disbursement', status) && status !== 'paid',
    },
    texts: ({ merchant, request, recipient, status }) => [
      request.reference,
      request.remarks,
      String(request.amount),
      ...Object.values(recipient.fields as Readonly<Record<string, string>>),
      merchant,
      status,
    ],
    key: ({ merchant, request }) => JSON.stringify([merchant, request.reference]),
    items: (payouts) => payouts.map(sandboxPayout),
  };
}

export function deliveryListing(deliveries: readonly Delivery[]): Listing<Delivery, SandboxDelivery> {
  return {
    entries: deliveries,
    filters: {
      merchant: ({ event }) => event.merchant,
      reference: ({ event }) => event.reference,
      event: ({ event }) => event.event,
      state: ({ state }) => state,
    },
    flags: {
      failed: (delivery) => isFailing(delivery),
    },
    texts: (delivery) => [
      delivery.event.reference,
      delivery.event.event,
      delivery.event.merchant,
      delivery.id,
      addressOf(delivery),
      delivery.state,
      delivery.attempts.at(-1)?.problem,
    ],
    key: ({ id }) => id,
    items: (chosen) => chosen.map(sandboxDelivery),
  };
}

export function requestListing(requests: readonly SandboxRequest[]): Listing<SandboxRequest, SandboxRequest> {
  return {
    entries: requests,
    filters: {
      merchant: ({ merchant }) => merchant,
      reference: ({ reference }) => reference,
      method: ({ method }) => method,
      path: ({ path }) => path,
      status: ({ status }) => status,
      code: ({ code }) => code,
      rule: ({ rule }) => rule,
    },
    flags: {
      failed: wentWrong,
    },
    texts: ({ merchant, method, path, headers, body, status, code, rule, reason }) => [
      `${method} ${path}`,
      status === null ? null : String(status),
      code,
      reason,
      rule,
      merchant,
      headers['idempotency-key'],
      typeof body === 'string' ? body : JSON.stringify(body),
    ],
    key: ({ id }) => id,
    items: (chosen) => chosen,
  };
}

export function balanceListing(merchants: readonly Merchant[]): Listing<Merchant, SandboxBalance> {
  return {
    entries: merchants,
    filters: { merchant: ({ name }) => name },
    flags: {},
    texts: ({ name }) => [name],
    key: ({ name }) => name,
    items: (chosen) => chosen.map(sandboxBalance),
  };
}

/** Faults that change when an answer comes. Every other one takes the answer away, replaces it or spoils it. */
const DELAYS: readonly (string | null)[] = ['delay', 'drip', null];

/** Whether a call was refused, whatever the status of its answer is, or did not get what the gateway answered. */
function wentWrong({ status, reason, fault }: SandboxRequest): boolean {
  return status === null || status >= 400 || reason !== null || !DELAYS.includes(fault);
}

/** The lists of several merchants as one, by time. */
function inOrder<Entry extends { readonly createdAt: number }>(lists: readonly Entry[][]): readonly Entry[] {
  const all = lists.flat();
  return lists.length > 1 ? all.sort((one, other) => one.createdAt - other.createdAt) : all;
}

/** Whether it was given up, or its last try failed and another one follows. */
function isFailing({ state, attempts }: Delivery): boolean {
  return state === 'exhausted' || (state === 'waiting' && attempts.at(-1)?.problem !== undefined);
}

/** Finds the newest delivery of each payment in one pass. */
function newestDelivery(
  deliveries: readonly Delivery[],
  payments: readonly Collection[],
): (payment: Collection) => SandboxPaymentWebhook | null {
  const references = new Set(payments.map(({ request }) => request.reference));
  const found = new Map<string, Delivery>();
  const keyOf = (merchant: string, reference: string) => JSON.stringify([merchant, reference]);
  for (const delivery of deliveries) {
    const { merchant, reference } = delivery.event;
    if (references.has(reference)) found.set(keyOf(merchant, reference), delivery);
  }
  return ({ merchant, request }) => {
    const delivery = found.get(keyOf(merchant, request.reference));
    return delivery ? paymentWebhook(delivery) : null;
  };
}

function paymentWebhook(delivery: Delivery): SandboxPaymentWebhook {
  const { id, event, state, attempts, nextAttemptAt } = delivery;
  return {
    id,
    event: event.event,
    state,
    attempts: attempts.length,
    problem: attempts.at(-1)?.problem ?? null,
    next_attempt_at: optionalTimestamp(nextAttemptAt),
  };
}
