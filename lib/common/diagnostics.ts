import { channel, type Channel } from 'node:diagnostics_channel';
import { Logger } from '@nestjs/common';
import { type AttemptInfo } from './attempt.js';
import { type PaymentsOperation } from './operations.js';
import { type OutcomeEvidence } from './outcome-evidence.js';
import { type Around, runWithin, type Surroundable } from './surround.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_REFUSED_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookEndEvent,
  type WebhookHandlerEndEvent,
  type WebhookHandlerStartEvent,
  type WebhookRefusedEvent,
  type WebhookStartEvent,
} from './webhook-diagnostics.js';

/**
 * A call to the gateway begins: the request was checked, and a payment was written down. What is answered from the journal
 * sends nothing and publishes nothing. Published in the caller's own asynchronous context.
 *
 * @publicApi
 */
export const CALL_START_CHANNEL = 'nestjs-payments:call:start';

/**
 * One try of a call is about to be sent; one that is given up before that has an end only.
 *
 * @publicApi
 */
export const CALL_ATTEMPT_START_CHANNEL = 'nestjs-payments:call:attempt-start';

/**
 * One try of a call is over.
 *
 * @publicApi
 */
export const CALL_ATTEMPT_CHANNEL = 'nestjs-payments:call:attempt';

/**
 * A wait of a call is over, also one that was cut short.
 *
 * @publicApi
 */
export const CALL_WAIT_CHANNEL = 'nestjs-payments:call:wait';

/**
 * A call is over.
 *
 * @publicApi
 */
export const CALL_END_CHANNEL = 'nestjs-payments:call:end';

/**
 * Which call an event belongs to. No event holds a key, a body or anything about a customer or a recipient.
 *
 * @publicApi
 */
export interface CallStartEvent {
  /** The same in every event of one call; unique within the process. */
  readonly callId: number;
  readonly account: string;
  readonly operation: PaymentsOperation;
  /** The merchant's reference, on the four operations that move money. */
  readonly reference?: string;
}

/**
 * Where one try of a call goes.
 *
 * @publicApi
 */
export interface CallAttemptStartEvent extends CallStartEvent, Surroundable {
  /** 1 for the first try of this call. */
  readonly attempt: number;
  readonly method: 'GET' | 'POST';
  /** Host name or address of the gateway. */
  readonly serverAddress: string;
  readonly serverPort: number;
}

/**
 * How one try of a call went.
 *
 * @publicApi
 */
export interface CallAttemptEvent extends CallStartEvent, Omit<AttemptInfo, 'number'> {
  /** 1 for the first try of this call. */
  readonly attempt: number;
  /** The gateway's `request_id`, where its answer had one. */
  readonly requestId?: string;
}

/**
 * How long a call waited before a try.
 *
 * @publicApi
 */
export interface CallWaitEvent extends CallStartEvent {
  /** The try that was waited for; 1 for the first one of this call. */
  readonly attempt: number;
  /**
   * - `retry`: the call's own wait between two tries.
   * - `rate`: all calls of the account waited after a 429, or the call queued under the `rate` option.
   */
  readonly reason: 'retry' | 'rate';
  readonly durationMs: number;
}

/**
 * How a call ended, as far as the gateway's answers tell.
 *
 * @publicApi
 */
export interface CallEndEvent extends CallStartEvent {
  /**
   * - `success`: it resolved.
   * - `unknown`: money may have moved.
   * - `failed`: it rejected with another error of the package.
   * - `aborted`: it rejected with the reason of the caller's signal.
   */
  readonly outcome: 'success' | 'unknown' | 'failed' | 'aborted';
  /** Name of the error class, where the package made one. */
  readonly error?: string;
  readonly evidence?: OutcomeEvidence;
  /** Code of the answer or of the error. */
  readonly code?: string;
  readonly requestId?: string;
  /** How many tries were made. */
  readonly attempts: number;
  /** From start to end, all tries and waits included. */
  readonly durationMs: number;
}

/**
 * What is published on which channel of `node:diagnostics_channel`.
 *
 * @publicApi
 */
export interface PaymentsDiagnostics {
  readonly [CALL_START_CHANNEL]: CallStartEvent;
  readonly [CALL_ATTEMPT_START_CHANNEL]: CallAttemptStartEvent;
  readonly [CALL_ATTEMPT_CHANNEL]: CallAttemptEvent;
  readonly [CALL_WAIT_CHANNEL]: CallWaitEvent;
  readonly [CALL_END_CHANNEL]: CallEndEvent;
  readonly [WEBHOOK_START_CHANNEL]: WebhookStartEvent;
  readonly [WEBHOOK_HANDLER_START_CHANNEL]: WebhookHandlerStartEvent;
  readonly [WEBHOOK_HANDLER_END_CHANNEL]: WebhookHandlerEndEvent;
  readonly [WEBHOOK_END_CHANNEL]: WebhookEndEvent;
  readonly [WEBHOOK_REFUSED_CHANNEL]: WebhookRefusedEvent;
}

/**
 * Held for good: Node 20 drops a channel that nobody holds, and with its name, late, also the one that came after it and
 * all who listened there.
 */
const CHANNELS: Readonly<Record<keyof PaymentsDiagnostics, Channel>> = {
  [CALL_START_CHANNEL]: channel(CALL_START_CHANNEL),
  [CALL_ATTEMPT_START_CHANNEL]: channel(CALL_ATTEMPT_START_CHANNEL),
  [CALL_ATTEMPT_CHANNEL]: channel(CALL_ATTEMPT_CHANNEL),
  [CALL_WAIT_CHANNEL]: channel(CALL_WAIT_CHANNEL),
  [CALL_END_CHANNEL]: channel(CALL_END_CHANNEL),
  [WEBHOOK_START_CHANNEL]: channel(WEBHOOK_START_CHANNEL),
  [WEBHOOK_HANDLER_START_CHANNEL]: channel(WEBHOOK_HANDLER_START_CHANNEL),
  [WEBHOOK_HANDLER_END_CHANNEL]: channel(WEBHOOK_HANDLER_END_CHANNEL),
  [WEBHOOK_END_CHANNEL]: channel(WEBHOOK_END_CHANNEL),
  [WEBHOOK_REFUSED_CHANNEL]: channel(WEBHOOK_REFUSED_CHANNEL),
};

/**
 * Hears what the package publishes. An error of the listener is logged and disturbs nothing; one that subscribes to the
 * channel itself, through `node:diagnostics_channel`, ends the process with an uncaught exception when it throws.
 *
 * @returns a function that ends the subscription.
 *
 * @example
 * const stop = onPaymentsDiagnostics(CALL_END_CHANNEL, ({ operation, outcome, durationMs }) => {
 *   histogram.record(durationMs, { operation, outcome });
 * });
 *
 * @publicApi
 */
export function onPaymentsDiagnostics<Name extends keyof PaymentsDiagnostics>(
  name: Name,
  listener: (event: PaymentsDiagnostics[Name]) => void | Promise<void>,
): () => void {
  const guarded = (event: unknown): void => {
    void callGuarded(name, () => listener(event as PaymentsDiagnostics[Name]));
  };
  const target = CHANNELS[name];
  // Deprecated for channels that nobody holds; by the name, Node 20 may find another one.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  target.subscribe(guarded);
  return () => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    target.unsubscribe(guarded);
  };
}

async function callGuarded(name: string, listen: () => void | Promise<void>): Promise<void> {
  try {
    await listen();
  } catch (error) {
    new Logger('PaymentsDiagnostics').error(
      `A listener of ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : 'no Error was thrown'}`,
    );
  }
}

/** Publishes; builds the event only where somebody listens. */
export function publishDiagnostics<Name extends keyof PaymentsDiagnostics>(
  name: Name,
  event: () => PaymentsDiagnostics[Name],
): void {
  const target = CHANNELS[name];
  if (target.hasSubscribers) target.publish(event());
}

type StartChannel = {
  [Name in keyof PaymentsDiagnostics]: PaymentsDiagnostics[Name] extends Surroundable ? Name : never;
}[keyof PaymentsDiagnostics];

/** Publishes what begins, and does it within whatever the listeners ask for. */
export function publishAround<Name extends StartChannel, T>(
  name: Name,
  event: () => Omit<PaymentsDiagnostics[Name], 'surround'>,
  work: () => Promise<T>,
): Promise<T> {
  const arounds: Around[] = [];
  const surround = (around: Around): void => {
    arounds.push(around);
  };
  publishDiagnostics(name, () => ({ ...event(), surround }) as PaymentsDiagnostics[Name]);
  return runWithin(arounds, work);
}
