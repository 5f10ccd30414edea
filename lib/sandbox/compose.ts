import { SandboxClock, type TimeSource } from './clock/sandbox-clock.js';
import { type Activity, activityOf } from './control/activity.js';
import { ControlRoute } from './control/control-route.js';
import { type SandboxParts } from './control/sandbox-parts.js';
import { SandboxView } from './control/sandbox-view.js';
import { EventBus, type SandboxEvents } from './core/event-bus.js';
import { Gateway } from './core/gateway.js';
import { idsByMerchant, type IdSource, seededChance, seedFor } from './core/id-source.js';
import { NameDirectory } from './core/name-directory.js';
import { RequestJournal } from './core/request-journal.js';
import { FaultQueue } from './faults/fault-queue.js';
import { GatewayRoute } from './http/gateway-route.js';
import { type SandboxSettings } from './resolve-sandbox-options.js';
import { type StateEntry } from './state/state-entry.js';
import { StateParts } from './state/state-parts.js';
import { Timeline } from './timeline/timeline.js';
import { EndpointRegistry } from './webhooks/endpoint-registry.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

export interface ComposedSandbox extends SandboxParts {
  readonly gatewayRoute: GatewayRoute;
  readonly controlRoute: ControlRoute;
  readonly events: EventBus<SandboxEvents>;
  readonly activity: Activity;
  readonly state: StateParts;
  /** Clears one merchant, or all, without an event: at once, and resolves when aborted deliveries have ended. */
  readonly clear: (merchant?: string) => Promise<void>;
  /** Ends what happens by itself: outcomes, expiry and deliveries. Answers that a fault delays still come. */
  readonly halt: (reason: Error) => void;
}

/** Wires the parts of one emulator. It does not listen yet. */
export function composeSandbox(settings: SandboxSettings): ComposedSandbox {
  const { seed, auto, profile } = settings;
  const events = new EventBus<SandboxEvents>();
  const directory = new NameDirectory(undefined, () => {
    events.emit('changed', ['directory', '']);
  });
  const journal = new RequestJournal((request) => {
    timeline.forget(request);
  });
  const faults = faultQueue(seed, events);
  const { clock, alarm, endpoints, deliverer, halt } = clockAndWebhooks(settings, events);
  const ids = new Map<string, IdSource>();
  const idsOf = idsByMerchant(seed, ids);
  const gateway = new Gateway({
    settings: settings.gateway,
    clock: alarm,
    idsOf,
    directory,
    events,
    profile,
    deliver: async (event) => {
      await deliverer.deliver(event);
    },
  });
  const gatewayRoute = new GatewayRoute(gateway, faults, journal, clock, events, auto, profile);
  const timeline = new Timeline(events, clock, endpoints, journal);
  const view = new SandboxView(gateway, deliverer, endpoints, clock, { seed, auto, profile: profile.name });
  const activity = activityOf(events);
  const clear = async (merchant?: string): Promise<void> => {
    if (merchant === undefined) clock.clear();
    for (const part of [faults, journal, profile, timeline]) part.clear(merchant);
    gateway.reset(merchant);
    gatewayRoute.abort(merchant);
    await deliverer.clear(merchant);
    // The timers of a single merchant find nothing any more.
    clock.sweep();
  };
  const reset = async (merchant?: string): Promise<void> => {
    const cleared = clear(merchant);
    events.emit('changed', 'everything');
    await cleared;
    events.emit('reset', undefined);
  };
  const parts = {
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
  } satisfies SandboxParts;
  const state = new StateParts({ ...parts, ids, calls: gatewayRoute, settings, answered: profile.answered });
  const controlRoute = new ControlRoute(parts);
  return { ...parts, gatewayRoute, controlRoute, events, state, clear, halt };
}

/**
 * Replaces the whole state of an emulator.
 *
 * @throws PaymentsConfigError if a part is damaged; nothing has changed then.
 */
export async function replaceState(
  settings: SandboxSettings,
  { clear, endpoints, events, state }: ComposedSandbox,
  entries: readonly StateEntry[],
): Promise<void> {
  composeSandbox(settings).state.restore(entries);
  // Nothing is awaited before the new state is whole: a folder must never hold the empty one.
  const cleared = clear();
  endpoints.clear();
  state.restore(entries);
  state.resume();
  events.emit('changed', 'everything');
  await cleared;
  events.emit('reset', undefined);
}

/** Emits changes later, because the caller may still chain `times(…)` and `probability(…)`. */
function faultQueue(seed: number, events: EventBus<SandboxEvents>): FaultQueue {
  const emit = once(() => {
    events.emit('faults', faults.list());
  });
  const faults: FaultQueue = new FaultQueue(
    (merchant) => seededChance(seedFor(seed, `faults ${merchant}`)),
    () => {
      events.emit('changed', ['faults']);
      emit();
    },
  );
  return faults;
}

/** The deliverer follows the clock, and a clock that moves waits for the deliverer. */
function clockAndWebhooks(
  settings: SandboxSettings,
  events: EventBus<SandboxEvents>,
): Pick<SandboxParts, 'clock' | 'endpoints' | 'deliverer'> & {
  /** The clock of what happens by itself. */
  readonly alarm: TimeSource;
  readonly halt: (reason: Error) => void;
} {
  let haltedBy: Error | undefined;
  const alarm: TimeSource = {
    now: () => clock.now(),
    schedule: (delayMs, task, describe) => {
      const run = (): void => {
        if (!haltedBy) task();
      };
      clock.schedule(delayMs, run, describe);
    },
  };
  const emit = (): void => {
    events.emit('clock', clock);
  };
  const clock: SandboxClock = new SandboxClock(
    settings.clock,
    () => deliverer.tries(),
    emit,
    () => haltedBy,
  );
  const endpoints: EndpointRegistry = new EndpointRegistry(
    clock,
    {
      scheme: settings.webhookScheme,
      secret: settings.webhookSecret,
      allowRemote: settings.allowRemoteWebhooks,
      newSecret: settings.newSecret,
    },
    (id) => {
      if (!endpoints.get(id)?.enabled) deliverer.skip(id);
      events.emit('changed', ['endpoint', id]);
    },
  );
  const sender = new WebhookSender(settings.webhookTimeoutMs);
  const deliverer = new WebhookDeliverer(
    alarm,
    events,
    sender,
    settings.webhookScheme,
    endpoints,
    settings.profile.facts,
  );
  const halt = (reason: Error): void => {
    haltedBy = reason;
    sender.abort();
  };
  return { clock, alarm, endpoints, deliverer, halt };
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
