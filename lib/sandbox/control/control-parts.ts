import { type SandboxClock } from '../clock/sandbox-clock.js';
import { type EventBus } from '../core/activity.js';
import { type Gateway } from '../core/gateway.js';
import { type IdSource } from '../core/id-source.js';
import { type NameDirectory } from '../core/name-directory.js';
import { type FaultQueue } from '../http/faults.js';
import { type RequestJournal } from '../http/request-journal.js';
import { type Timeline } from '../story/story-book.js';
import { type EndpointBook } from '../webhooks/endpoint-book.js';
import { type WebhookDeliverer } from '../webhooks/webhook-deliverer.js';
import { type SandboxView } from './sandbox-view.js';

/** What the control API reads and drives. */
export interface ControlParts {
  readonly hub: EventBus;
  readonly clock: SandboxClock;
  readonly gateway: Gateway;
  readonly view: SandboxView;
  readonly directory: NameDirectory;
  readonly deliverer: WebhookDeliverer;
  readonly endpoints: EndpointBook;
  readonly faults: FaultQueue;
  readonly journal: RequestJournal;
  readonly stories: Timeline;
  readonly idsOf: (merchant: string) => IdSource;
  /** Forgets one merchant, or all. */
  readonly reset: (merchant?: string) => Promise<void>;
}
