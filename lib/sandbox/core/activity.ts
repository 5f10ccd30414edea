import { type SandboxClockState, type SandboxFaults } from '../control/control-resources.js';
import {
  type SandboxBalance,
  type SandboxDelivery,
  type SandboxPayment,
  type SandboxPayout,
  type SandboxRequest,
} from '../control/control-types.js';

/**
 * One call of a gateway operation with the answer that went out.
 *
 * @publicApi
 */
export interface SandboxExchange {
  /** The call, with its status and the rule that fired. */
  readonly request: SandboxRequest;
  /** The answer's body, byte for byte; null where none was sent. */
  readonly answer: string | null;
}

/**
 * What an emulator tells while it runs; `sandbox.on(…)` listens.
 *
 * @publicApi
 */
export interface SandboxActivity {
  /** A payment was made or changed. */
  readonly payment: SandboxPayment;
  /** A payout was made or changed. */
  readonly payout: SandboxPayout;
  /** Money moved: the wallet as it stands now. */
  readonly balance: SandboxBalance;
  /** A webhook event happened, or a try to deliver it ended. */
  readonly delivery: SandboxDelivery;
  /** A gateway operation was answered, or its connection given up. */
  readonly exchange: SandboxExchange;
  /** A fault was planned, struck or removed: those that still wait. */
  readonly faults: SandboxFaults;
  /** The clock was advanced, stopped or let run again. */
  readonly clock: SandboxClockState;
  /** Everything, or everything of one merchant, was forgotten. */
  readonly reset: Record<string, never>;
}

export type ActivityTopic = keyof SandboxActivity;

/** Hands what happens to whoever listens. */
export class EventBus {
  private readonly listeners = new Map<ActivityTopic, Set<(value: never) => void>>();

  on<Topic extends ActivityTopic>(
    topic: Topic,
    listener: (value: SandboxActivity[Topic]) => void,
  ): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<Topic extends ActivityTopic>(topic: Topic, value: SandboxActivity[Topic]): void {
    const listeners = this.listeners.get(topic) as Set<(value: SandboxActivity[Topic]) => void> | undefined;
    listeners?.forEach((listener) => {
      try {
        listener(value);
      } catch (error) {
        // As with an EventTarget: money and webhooks do not depend on who listens, and nothing is hidden.
        process.nextTick(() => {
          throw error;
        });
      }
    });
  }
}
