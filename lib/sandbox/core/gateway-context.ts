import { type TimeSource } from '../clock/sandbox-clock.js';
import { type EventBus } from './activity.js';
import { type GatewaySettings } from './gateway-settings.js';
import { type IdSource } from './id-source.js';
import { type NameDirectory } from './name-directory.js';
import { type Profile } from '../profile/profile.js';
import { type OutgoingEvent } from './webhook-event.js';

/** What the core works with: time, ids and the way out, all given from outside. */
export interface GatewayContext {
  readonly settings: GatewaySettings;
  readonly clock: TimeSource;
  /** The ids of one merchant. */
  readonly idsOf: (merchant: string) => IdSource;
  readonly directory: NameDirectory;
  readonly hub: EventBus;
  readonly profile: Profile;
  /** Resolves when the first try to deliver has ended, whatever its answer. */
  readonly deliver: (event: OutgoingEvent) => Promise<void>;
}
