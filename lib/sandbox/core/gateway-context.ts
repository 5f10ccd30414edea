import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { type EventBus, type SandboxEvents } from './event-bus.js';
import { type FeeRules } from './amounts.js';
import { type IdSource } from './id-source.js';
import { type NameDirectory } from './name-directory.js';
import { type DeliveryPlan } from './outcome-plan.js';
import { type OutgoingEvent, type WebhookPayload } from './webhook-event.js';

/** The amounts and times that the emulator chooses. */
export interface GatewaySettings {
  readonly startingBalanceCents: bigint;
  readonly fees: FeeRules;
  readonly expireAfterMs: number;
}

/** The gateway's behavior that its specification leaves open. */
export interface OpenBehavior {
  readonly facts: ResolvedFacts;
  event(event: EventSubject): VariedEvent;
}

export interface EventSubject {
  readonly merchant: string;
  readonly reference: string;
  readonly payload: WebhookPayload;
  readonly plan: DeliveryPlan;
  /** Whether nothing awaits its first delivery. */
  readonly mayBeLate: boolean;
}

export interface VariedEvent {
  readonly body: string;
  readonly contentType: string;
  readonly plan: DeliveryPlan;
}

/** What the core needs from outside: time, ids and delivery. */
export interface GatewayContext {
  readonly settings: GatewaySettings;
  readonly clock: TimeSource;
  /** The ids of one merchant. */
  readonly idsOf: (merchant: string) => IdSource;
  readonly directory: NameDirectory;
  readonly events: EventBus<SandboxEvents>;
  readonly profile: OpenBehavior;
  /** Resolves when the first try to deliver has ended, whatever its answer. */
  readonly deliver: (event: OutgoingEvent) => Promise<void>;
}
