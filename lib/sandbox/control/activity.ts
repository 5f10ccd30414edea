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
 * The events that `sandbox.on(…)` listens to.
 *
 * @publicApi
 */
export interface SandboxActivity {
  /** A payment was created or changed. */
  readonly payment: SandboxPayment;
  /** A payout was created or changed. */
  readonly payout: SandboxPayout;
  /** Money moved: the wallet as it is now. */
  readonly balance: SandboxBalance;
  /** A webhook event happened, or a try to deliver it ended. */
  readonly delivery: SandboxDelivery;
  /** The emulator answered a gateway operation, or ended its connection. */
  readonly exchange: SandboxExchange;
  /** A fault was planned, applied or removed. Holds the faults that remain. */
  readonly faults: SandboxFaults;
  /** The clock was advanced, stopped or restarted. */
  readonly clock: SandboxClockState;
  /** The emulator, or one merchant of it, was reset. */
  readonly reset: Record<string, never>;
}

type ActivityTopic = keyof SandboxActivity;

/** The events for the outside. */
export class Activity extends EventBus<SandboxActivity> {
  private publish: (task: () => void) => void = (task) => {
    task();
  };

  /** @param publish Runs a task later: nobody may see a change that a kill could still undo. */
  publishBy(publish: (task: () => void) => void): void {
    this.publish = publish;
  }

  override emit<Topic extends ActivityTopic>(topic: Topic, value: SandboxActivity[Topic]): void {
    this.publish(() => {
      super.emit(topic, value);
    });
  }
}

/** Shows the emulator's events in the form of the control API. */
export function activityOf(events: EventBus<SandboxEvents>): Activity {
  const activity = new Activity();
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
