import { SandboxClock } from './clock/sandbox-clock.js';
import { ControlRoute } from './control/control-route.js';
import { SandboxView } from './control/sandbox-view.js';
import { ActivityHub } from './core/activity.js';
import { Gateway } from './core/gateway.js';
import { idsByMerchant, seededChance } from './core/id-source.js';
import { NameDirectory } from './core/name-directory.js';
import { FaultQueue } from './http/faults.js';
import { GatewayRoute } from './http/gateway-route.js';
import { RequestJournal } from './http/request-journal.js';
import { type SandboxSettings } from './resolve-options.js';
import { StoryBook } from './story/story-book.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Other numbers than those of the ids. */
const OF_FAULTS = 0xfa0175;

export type SandboxParts = ReturnType<typeof composeSandbox>;

/** Wires the parts of one emulator; nothing listens yet. */
export function composeSandbox(settings: SandboxSettings) {
  const { seed, auto, profile } = settings;
  const hub = new ActivityHub();
  const faults = new FaultQueue(seededChance(seed ^ OF_FAULTS));
  const journal = new RequestJournal();
  const directory = new NameDirectory();
  const clock: SandboxClock = new SandboxClock(settings.clock, () => deliverer.idle());
  const sender = new WebhookSender(settings.webhookTimeoutMs);
  const deliverer = new WebhookDeliverer(clock, hub, sender, settings.signing);
  const gateway = new Gateway({
    settings: settings.gateway,
    clock,
    idsOf: idsByMerchant(seed),
    directory,
    hub,
    profile,
    deliver: (event) => deliverer.deliver(event),
  });
  const view = new SandboxView(gateway, deliverer, clock, { seed, auto, profile: profile.name });
  const gatewayRoute = new GatewayRoute(gateway, faults, journal, clock, hub, auto, profile);
  const stories = new StoryBook(hub, clock);
  const controlRoute = new ControlRoute(gateway, view, hub);
  return {
    hub,
    profile,
    faults,
    journal,
    directory,
    clock,
    deliverer,
    gateway,
    view,
    stories,
    gatewayRoute,
    controlRoute,
  };
}
