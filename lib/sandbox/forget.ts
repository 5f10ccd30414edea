import { type SandboxClock } from './clock/sandbox-clock.js';
import { type Gateway } from './core/gateway.js';
import { type FaultQueue } from './http/faults.js';
import { type GatewayRoute } from './http/gateway-route.js';
import { type RequestJournal } from './http/request-journal.js';
import { type Profile } from './profile/profile.js';
import { type Timeline } from './story/story-book.js';
import { type WebhookDeliverer } from './webhooks/webhook-deliverer.js';

/** Everything that remembers. */
export interface Memory {
  readonly clock: SandboxClock;
  readonly faults: FaultQueue;
  readonly journal: RequestJournal;
  readonly profile: Profile;
  readonly stories: Timeline;
  readonly gateway: Gateway;
  readonly gatewayRoute: GatewayRoute;
  readonly deliverer: WebhookDeliverer;
}

/** Forgets one merchant, or everything, and gives up what is under way. Addresses, the time and the ids go on. */
export async function forget(memory: Memory, merchant?: string): Promise<void> {
  const { clock, faults, journal, profile, stories, gateway, gatewayRoute, deliverer } = memory;
  // Timers of one merchant find that what they were for is gone.
  if (merchant === undefined) clock.clear();
  for (const part of [faults, journal, profile, stories]) part.clear(merchant);
  gateway.reset(merchant);
  gatewayRoute.giveUp(merchant);
  await deliverer.clear(merchant);
}
