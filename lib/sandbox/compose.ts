import { SandboxClock } from './clock/sandbox-clock.js';
import { activityOf } from './control/activity.js';
import { ControlRoute } from './control/control-route.js';
import { type SandboxParts } from './control/sandbox-parts.js';
import { SandboxView } from './control/sandbox-view.js';
import { EventBus, type SandboxEvents } from './core/event-bus.js';
import { Gateway } from './core/gateway.js';
import { idsByMerchant, seededChance } from './core/id-source.js';
import { NameDirectory } from './core/name-directory.js';
import { RequestJournal } from './core/request-journal.js';
import { FaultQueue } from './faults/fault-queue.js';
import { GatewayRoute } from './http/gateway-route.js';
import { type SandboxSettings } from './resolve-sandbox-options.js';
import { Timeline } from './timeline/timeline.js';
import { EndpointRegistry } from './webhooks/endpoint-registry.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Gives faults another random sequence than ids. */
const FAULT_SEED = 0xfa0175;

export interface ComposedSandbox extends SandboxParts {
  readonly gatewayRoute: GatewayRoute;
  readonly controlRoute: ControlRoute;
  /** Clears one merchant, or all, without an event. */
  readonly clear: (merchant?: string) => Promise<void>;
}

/** Wires the parts of one emulator. It does not listen yet. */
export function composeSandbox(settings: SandboxSettings): ComposedSandbox {
  const { seed, auto, profile } = settings;
  const events = new EventBus<SandboxEvents>();
  const directory = new NameDirectory();
  const journal = new RequestJournal();
  const faults = faultQueue(seed, events);
  const { clock, endpoints, deliverer } = clockAndWebhooks(settings, events);
  const idsOf = idsByMerchant(seed);
  const gateway = new Gateway({
    settings: settings.gateway,
    clock,
    idsOf,
    directory,
    events,
    profile,
    deliver: async (event) => {
      await deliverer.deliver(event);
    },
  });
  const gatewayRoute = new GatewayRoute(gateway, faults, journal, clock, events, auto, profile);
  const timeline = new Timeline(events, clock);
  const view = new SandboxView(gateway, deliverer, endpoints, clock, { seed, auto, profile: profile.name });
  const activity = activityOf(events);
  const clear = async (merchant?: string): Promise<void> => {
    // The timers of a single merchant find no payment and do nothing.
    if (merchant === undefined) clock.clear();
    for (const part of [faults, journal, profile, timeline]) part.clear(merchant);
    gateway.reset(merchant);
    gatewayRoute.abort(merchant);
    await deliverer.clear(merchant);
  };
  const reset = async (merchant?: string): Promise<void> => {
    await clear(merchant);
    events.emit('reset', undefined);
  };
  const parts: SandboxParts = {
    activity,
    clock,
    gateway,
    view,
    directory,
    deliverer,
    endpoints,
    faults,
    journal,
    timeline,
    idsOf,
    reset,
  };
  return { ...parts, gatewayRoute, controlRoute: new ControlRoute(parts), clear };
}

/** Emits changes later, because the caller may still chain `times(…)` and `probability(…)`. */
function faultQueue(seed: number, events: EventBus<SandboxEvents>): FaultQueue {
  const emit = once(() => {
    events.emit('faults', faults.list());
  });
  const faults: FaultQueue = new FaultQueue(seededChance(seed ^ FAULT_SEED), emit);
  return faults;
}

/** The deliverer follows the clock, and a clock that moves waits for the deliverer. */
function clockAndWebhooks(
  settings: SandboxSettings,
  events: EventBus<SandboxEvents>,
): Pick<SandboxParts, 'clock' | 'endpoints' | 'deliverer'> {
  const emit = (): void => {
    events.emit('clock', clock);
  };
  const clock: SandboxClock = new SandboxClock(settings.clock, () => deliverer.idle(), emit);
  const endpoints = new EndpointRegistry(clock, {
    scheme: settings.webhookScheme,
    secret: settings.webhookSecret,
    allowRemote: settings.allowRemoteWebhooks,
    newSecret: settings.newSecret,
  });
  const sender = new WebhookSender(settings.webhookTimeoutMs);
  const deliverer = new WebhookDeliverer(clock, events, sender, settings.webhookScheme, endpoints);
  return { clock, endpoints, deliverer };
}

/** Runs a task after the current one. Several requests before that run it once. */
function once(task: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    queueMicrotask(() => {
      asked = false;
      task();
    });
  };
}
