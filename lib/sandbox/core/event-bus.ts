import { type SandboxClock } from '../clock/sandbox-clock.js';
import { type Collection } from './collection.js';
import { type Delivery } from './delivery.js';
import { type PlannedCallFault } from './fault.js';
import { type Merchant } from './merchant.js';
import { type Payout } from './payout.js';
import { type SandboxExchange } from './request-journal.js';
import { type StateChange } from './state-key.js';

/** The emulator's internal events. The control API and the handle show them as `SandboxActivity`. */
export interface SandboxEvents {
  readonly payment: Collection;
  readonly payout: Payout;
  /** The merchant whose money moved. */
  readonly balance: Merchant;
  /** An event will be delivered. */
  readonly due: Delivery;
  /** An event was created, or a try to deliver it ended. */
  readonly delivery: Delivery;
  readonly exchange: SandboxExchange;
  /** The planned faults. */
  readonly faults: readonly PlannedCallFault[];
  readonly clock: SandboxClock;
  readonly reset: undefined;
  /** A part of the state changed that no other event reports. */
  readonly changed: StateChange;
}

/** Calls listeners with events. */
export class EventBus<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(value: never) => void>>();

  on<Topic extends keyof Events>(topic: Topic, listener: (value: Events[Topic]) => void): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<Topic extends keyof Events>(topic: Topic, value: Events[Topic]): void {
    const listeners = this.listeners.get(topic) as Set<(value: Events[Topic]) => void> | undefined;
    listeners?.forEach((listener) => {
      try {
        listener(value);
      } catch (error) {
        // As with an EventTarget, a listener that throws fails the process, not the payment.
        process.nextTick(() => {
          throw error;
        });
      }
    });
  }
}
