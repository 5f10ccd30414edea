import { channel, type Channel } from 'node:diagnostics_channel';
import {
  CALL_START_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  CALL_ATTEMPT_CHANNEL,
  CALL_WAIT_CHANNEL,
  CALL_END_CHANNEL,
  type CallStartEvent,
  type CallAttemptStartEvent,
  type CallAttemptEvent,
  type CallWaitEvent,
  type CallEndEvent,
} from './call-diagnostics.js';
import { SafeLogger } from './safe-logger.js';
import { type ContextRunner, runWithin, type ContextualEvent } from './run-in-context.js';
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
 * What is published on which channel of `node:diagnostics_channel`.
 *
 * @publicApi
 */
export interface PaymentsDiagnostics {
  /** A call begins. */
  readonly [CALL_START_CHANNEL]: CallStartEvent;
  /** One try of a call is about to be sent. */
  readonly [CALL_ATTEMPT_START_CHANNEL]: CallAttemptStartEvent;
  /** One try of a call is over. */
  readonly [CALL_ATTEMPT_CHANNEL]: CallAttemptEvent;
  /** A wait of a call is over. */
  readonly [CALL_WAIT_CHANNEL]: CallWaitEvent;
  /** A call is over. */
  readonly [CALL_END_CHANNEL]: CallEndEvent;
  /** Work on a verified webhook begins. */
  readonly [WEBHOOK_START_CHANNEL]: WebhookStartEvent;
  /** One step of that work begins. */
  readonly [WEBHOOK_HANDLER_START_CHANNEL]: WebhookHandlerStartEvent;
  /** One step of that work is over. */
  readonly [WEBHOOK_HANDLER_END_CHANNEL]: WebhookHandlerEndEvent;
  /** It is decided how the webhook is answered. */
  readonly [WEBHOOK_END_CHANNEL]: WebhookEndEvent;
  /** A webhook was refused before it was looked at. */
  readonly [WEBHOOK_REFUSED_CHANNEL]: WebhookRefusedEvent;
}

/**
 * Held for good: Node 20 drops a channel that nobody holds, and with its name, late, also the one that came
 * after it and all who listened there.
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
 * ```ts
 * const stop = onPaymentsDiagnostics(CALL_END_CHANNEL, ({ operation, outcome, durationMs }) => {
 *   histogram.record(durationMs, { operation, outcome });
 * });
 * ```
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
    new SafeLogger('PaymentsDiagnostics').error(
      `A listener of ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : 'no Error was thrown'}`,
    );
  }
}

/** Whether one of two channels has a listener, such as those of the beginning and the end of the same thing. */
export function hasSubscribers(one: keyof PaymentsDiagnostics, other: keyof PaymentsDiagnostics): boolean {
  return CHANNELS[one].hasSubscribers || CHANNELS[other].hasSubscribers;
}

/** Publishes; builds the event only if somebody listens. */
export function publishDiagnostics<Name extends keyof PaymentsDiagnostics>(
  name: Name,
  event: () => PaymentsDiagnostics[Name],
): void {
  const target = CHANNELS[name];
  if (target.hasSubscribers) target.publish(event());
}

type StartChannel = {
  [Name in keyof PaymentsDiagnostics]: PaymentsDiagnostics[Name] extends ContextualEvent ? Name : never;
}[keyof PaymentsDiagnostics];

/** Publishes what begins, and does it in the contexts that listeners ask for. */
export function publishInContext<Name extends StartChannel, T>(
  name: Name,
  event: () => Omit<PaymentsDiagnostics[Name], 'runInContext'>,
  work: () => Promise<T>,
): Promise<T> {
  if (!CHANNELS[name].hasSubscribers) return work();
  const runners: ContextRunner[] = [];
  const runInContext = (runner: ContextRunner): void => {
    runners.push(runner);
  };
  publishDiagnostics(name, () => ({ ...event(), runInContext }) as PaymentsDiagnostics[Name]);
  return runWithin(runners, work);
}
