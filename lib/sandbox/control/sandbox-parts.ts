import { type SandboxClock } from '../clock/sandbox-clock.js';
import { type EventBus } from '../core/event-bus.js';
import { type Gateway } from '../core/gateway.js';
import { type IdSource } from '../core/id-source.js';
import { type NameDirectory } from '../core/name-directory.js';
import { type RequestJournal } from '../core/request-journal.js';
import { type FaultQueue } from '../faults/fault-queue.js';
import { type Timeline } from '../timeline/timeline.js';
import { type EndpointRegistry } from '../webhooks/endpoint-registry.js';
import { type WebhookDeliverer } from '../webhooks/webhook-deliverer.js';
import { type SandboxActivity } from './activity.js';
import { type SandboxView } from './sandbox-view.js';

/** The parts of an emulator that the control API and the handle use. */
export interface SandboxParts {
  readonly activity: EventBus<SandboxActivity>;
  readonly clock: SandboxClock;
  readonly gateway: Gateway;
  readonly view: SandboxView;
  readonly directory: NameDirectory;
  readonly deliverer: WebhookDeliverer;
  readonly endpoints: EndpointRegistry;
  readonly faults: FaultQueue;
  readonly journal: RequestJournal;
  readonly timeline: Timeline;
  readonly idsOf: (merchant: string) => IdSource;
  /** Resets one merchant, or all. */
  readonly reset: (merchant?: string) => Promise<void>;
}
