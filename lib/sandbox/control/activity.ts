import { EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type SandboxExchange } from '../core/request-journal.js';
import {
  sandboxBalance,
  sandboxClockState,
  sandboxDelivery,
  sandboxFaults,
  sandboxPayment,
  sandboxPayout,
} from './record-mappers.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
} from './records.js';
import { type SandboxClockState, type SandboxFaults } from './resources.js';

/**
 * What an emulator reports while it runs; `sandbox.on(…)` listens.
 *
 * @publicApi
 */
export interface SandboxActivity {
  /** A payment was made or changed. */
  readonly payment: SandboxPayment;
  /** A payout was made or changed. */
  readonly payout: SandboxPayout;
  /** Money moved: the wallet as it is now. */
  readonly balance: SandboxBalance;
  /** A webhook event happened, or a try to deliver it ended. */
  readonly delivery: SandboxDelivery;
  /** A gateway operation was answered, or its connection given up. */
  readonly exchange: SandboxExchange;
  /** A fault was planned, applied or removed: those that still wait. */
  readonly faults: SandboxFaults;
  /** The clock was advanced, stopped or let run again. */
  readonly clock: SandboxClockState;
  /** Everything, or everything of one merchant, was forgotten. */
  readonly reset: Record<string, never>;
}

export type ActivityTopic = keyof SandboxActivity;

/** Shows the emulator's events in the form of the control API. */
export function activityOf(events: EventBus<SandboxEvents>): EventBus<SandboxActivity> {
  const activity = new EventBus<SandboxActivity>();
  const show = <Topic extends ActivityTopic>(
    topic: Topic,
    record: (value: SandboxEvents[Topic]) => SandboxActivity[Topic],
  ): void => {
    events.on(topic, (value) => {
      activity.emit(topic, record(value));
    });
  };
  show('payment', sandboxPayment);
  show('payout', sandboxPayout);
  show('balance', sandboxBalance);
  show('delivery', sandboxDelivery);
  show('exchange', (exchange) => exchange);
  show('faults', sandboxFaults);
  show('clock', sandboxClockState);
  show('reset', () => ({}));
  return activity;
}
