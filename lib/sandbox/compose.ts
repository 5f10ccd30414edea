import { SandboxClock } from './clock/sandbox-clock.js';
import { sandboxClockState } from './control/clock-view.js';
import { ControlRoute } from './control/control-route.js';
import { sandboxFault } from './control/fault-view.js';
import { SandboxView } from './control/sandbox-view.js';
import { EventBus } from './core/activity.js';
import { Gateway } from './core/gateway.js';
import { idsByMerchant, seededChance } from './core/id-source.js';
import { NameDirectory } from './core/name-directory.js';
import { forget } from './forget.js';
import { FaultQueue } from './http/faults.js';
import { GatewayRoute } from './http/gateway-route.js';
import { RequestJournal } from './http/request-journal.js';
import { type SandboxSettings } from './resolve-options.js';
import { Timeline } from './story/story-book.js';
import { EndpointBook } from './webhooks/endpoint-book.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Other numbers than those of the ids. */
const OF_FAULTS = 0xfa0175;

export type SandboxParts = ReturnType<typeof composeSandbox>;

/** Wires the parts of one emulator; nothing listens yet. */
export function composeSandbox(settings: SandboxSettings) {
  const { seed, auto, profile } = settings;
  const hub = new EventBus();
  const directory = new NameDirectory();
  const journal = new RequestJournal();
  // Later, because `times(…)` and `probability(…)` still follow on what was planned.
  const tellFaults = once(() => {
    hub.emit('faults', { items: faults.list().map(sandboxFault) });
  });
  const faults: FaultQueue = new FaultQueue(seededChance(seed ^ OF_FAULTS), tellFaults);
  const tellClock = (): void => {
    hub.emit('clock', sandboxClockState(clock));
  };
  const clock: SandboxClock = new SandboxClock(settings.clock, () => deliverer.idle(), tellClock);
  const endpoints = new EndpointBook(clock, {
    scheme: settings.webhookScheme,
    secret: settings.webhookSecret,
    allowRemote: settings.allowRemoteWebhooks,
    newSecret: settings.newSecret,
  });
  const sender = new WebhookSender(settings.webhookTimeoutMs);
  const deliverer: WebhookDeliverer = new WebhookDeliverer(
    clock,
    hub,
    sender,
    settings.webhookScheme,
    endpoints,
  );
  const idsOf = idsByMerchant(seed);
  const gateway = new Gateway({
    settings: settings.gateway,
    clock,
    idsOf,
    directory,
    hub,
    profile,
    deliver: async (event) => {
      await deliverer.deliver(event);
    },
  });
  const gatewayRoute = new GatewayRoute(gateway, faults, journal, clock, hub, auto, profile);
  const stories = new Timeline(hub, clock);
  const view = new SandboxView(gateway, deliverer, endpoints, clock, { seed, auto, profile: profile.name });
  const memory = { clock, faults, journal, profile, stories, gateway, gatewayRoute, deliverer };
  const reset = async (merchant?: string): Promise<void> => {
    await forget(memory, merchant);
    hub.emit('reset', {});
  };
  const parts = { ...memory, hub, directory, endpoints, view, idsOf, reset };
  return { ...parts, controlRoute: new ControlRoute(parts) };
}

/** Runs a task after what is running now, once however often it was asked for. */
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
