import { type SandboxClock, type TimedEvent } from '../clock/sandbox-clock.js';
import { optionalTimestamp, timestamp } from '../clock/timestamp.js';
import { collectionFields, type Collection } from '../core/collection.js';
import {
  activeSecrets,
  addressOf,
  type Delivery,
  type DeliveryAttempt,
  type WebhookEndpoint,
} from '../core/delivery.js';
import { type Fault, isBeforehand, type PlannedCallFault, type StatusFaultOptions } from '../core/fault.js';
import { type Merchant } from '../core/merchant.js';
import { SANDBOX_PROVIDER } from '../core/collection.js';
import { type Payout, payoutMoney, type RecipientFields } from '../core/payout.js';
import { walletRecord } from '../core/wallet.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxDeliveryAttempt,
  type SandboxPayment,
  type SandboxPayout,
} from './records.js';
import {
  type SandboxClockState,
  type SandboxDueEvent,
  type SandboxFault,
  type SandboxFaults,
  type SandboxHappened,
  type SandboxWebhookEndpoint,
} from './resources.js';

/** A clock record holds no more events, so that it stays small. */
const SHOWN_EVENTS = 100;

// Maps what the emulator keeps to the records of the handle and the control API.

export function sandboxPayment(payment: Collection): SandboxPayment {
  const fields = collectionFields(payment);
  return Object.freeze({
    merchant: payment.merchant,
    ...fields,
    metadata: structuredClone(fields.metadata),
    channel: payment.channel,
    expires_at: timestamp(payment.expiresAt),
    settled_at: optionalTimestamp(payment.settledAt),
    reason: payment.reason ?? null,
  });
}

export function sandboxPayout(payout: Payout): SandboxPayout {
  const { request, recipient } = payout;
  return Object.freeze({
    merchant: payout.merchant,
    kind: recipient.kind,
    ...payoutMoney(payout),
    provider: SANDBOX_PROVIDER,
    status: payout.status,
    remarks: request.remarks,
    metadata: structuredClone(request.metadata ?? {}),
    created_at: timestamp(payout.createdAt),
    settled_at: optionalTimestamp(payout.settledAt),
    reason: payout.reason ?? null,
    ...NO_RECIPIENT,
    ...recipient.fields,
  });
}

/** A recipient without any field. It does not compile if it or `SandboxPayout` lacks a field of `RecipientFields`. */
const NO_RECIPIENT: {
  readonly [Field in keyof RecipientFields]-?: Field extends keyof SandboxPayout ? null : never;
} = {
  bank_code: null,
  bank_name: null,
  account_number: null,
  account_name: null,
  recipient_name: null,
  recipient_phone: null,
  network: null,
};

export function sandboxBalance({ name, wallet }: Merchant): SandboxBalance {
  return Object.freeze({ merchant: name, ...walletRecord(wallet) });
}

export function sandboxDelivery(delivery: Delivery): SandboxDelivery {
  const { id, event, state, attempts, nextAttemptAt } = delivery;
  return Object.freeze({
    id,
    merchant: event.merchant,
    event: event.event,
    reference: event.reference,
    url: addressOf(delivery) ?? null,
    state,
    status: attempts.at(-1)?.answer?.status ?? null,
    attempts: Object.freeze(attempts.map(sandboxAttempt)),
    next_attempt_at: optionalTimestamp(nextAttemptAt),
    body: event.body,
  });
}

function sandboxAttempt(attempt: DeliveryAttempt): SandboxDeliveryAttempt {
  const { number, at, url, answer, forged, problem, durationMs, replay, headers } = attempt;
  return Object.freeze({
    number,
    at: timestamp(at),
    url: url ?? null,
    status: answer?.status ?? null,
    forged,
    problem: problem ?? null,
    duration_ms: durationMs,
    replay: replay ?? null,
    request_headers: headers,
    response_headers: answer?.headers ?? null,
    response_body: answer?.body ?? null,
  });
}

/** Masks all secrets, unless `secrets` asks for the newest one in full. */
export function sandboxEndpoint(
  endpoint: WebhookEndpoint,
  now: number,
  secrets: 'masked' | 'newest' = 'masked',
): SandboxWebhookEndpoint {
  const { id, merchant, url, events, enabled, createdAt } = endpoint;
  return {
    id,
    merchant: merchant ?? null,
    url: url.href,
    events: events ?? null,
    enabled,
    created_at: timestamp(createdAt),
    secrets: activeSecrets(endpoint, now).map((secret, index) => ({
      secret: secrets === 'newest' && index === 0 ? secret.text : `…${secret.text.slice(-4)}`,
      created_at: timestamp(secret.createdAt),
      expires_at: optionalTimestamp(secret.expiresAt),
    })),
  };
}

export function sandboxFaults(planned: readonly PlannedCallFault[]): SandboxFaults {
  return { items: planned.map(sandboxFault) };
}

export function sandboxFault(planned: PlannedCallFault): SandboxFault {
  const { id, operation, reference, merchant, fault, left, probability } = planned;
  const options: StatusFaultOptions = ('options' in fault && fault.options) || {};
  return {
    id,
    operation,
    reference: reference ?? null,
    merchant: merchant ?? null,
    kind: fault.kind,
    status: 'status' in fault ? fault.status : null,
    retry_after: options.retryAfter ?? null,
    code: options.code ?? null,
    after_processing: 'status' in fault ? !isBeforehand(fault) : null,
    duration_ms: durationOf(fault),
    left: Number.isFinite(left) ? left : null,
    probability,
  };
}

function durationOf(fault: Fault): number | null {
  if (fault.kind === 'delay') return fault.delayMs;
  return fault.kind === 'drip' ? fault.everyMs : null;
}

export function sandboxClockState(clock: SandboxClock): SandboxClockState {
  const due = clock.dueEvents();
  return {
    kind: clock.kind,
    now: timestamp(clock.now()),
    frozen: clock.frozen,
    waiting: due.length,
    due: due.slice(0, SHOWN_EVENTS).map(sandboxDueEvent),
  };
}

/** The first events of a list, and how many there are. */
export function sandboxHappened(events: readonly TimedEvent[]): SandboxHappened {
  return { count: events.length, items: events.slice(0, SHOWN_EVENTS).map(sandboxDueEvent) };
}

function sandboxDueEvent({ due, ...event }: TimedEvent): SandboxDueEvent {
  return { at: timestamp(due), ...event };
}
