import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';
import { observeRedelivery } from './redelivery.js';
import { type WaitClock } from './wait-clock.js';
import { type AskedEnding, type AskedReferences, type WebhooksHeard } from './webhooks-heard.js';

interface WebhookWait {
  readonly listener: { readonly deliveries: readonly CapturedDelivery[] };
  readonly clock: WaitClock;
  readonly asked: AskedReferences;
  readonly secrets: readonly string[];
  /** When the listener started, by the clock. */
  readonly from: number;
  /** Longest wait until each payment that a person ends has had its first webhook. */
  readonly eventsMs: number;
  /** Longest wait for redeliveries after that. */
  readonly redeliveryMs: number;
}

/** Nobody ends the other payments, and payouts may have no webhooks. */
const ENDED_BY_NOBODY: ReadonlySet<AskedEnding> = new Set<AskedEnding>(['payout', 'other']);

/** Waits for the webhooks of a run and for their redeliveries, no longer than it has to. */
export async function waitForWebhooks(wait: WebhookWait): Promise<WebhooksHeard> {
  const { listener, clock, asked, secrets, from, eventsMs, redeliveryMs } = wait;
  const heard = (): WebhooksHeard => ({
    deliveries: [...listener.deliveries],
    asked,
    secrets,
    from,
    until: clock.now(),
  });
  await clock.until(() => hasEach(heard()), eventsMs);
  const end = clock.now() + redeliveryMs;
  await clock.until(() => hasFirstWaits(heard()), redeliveryMs);
  await clock.until(() => hasEffects(heard()), Math.max(0, end - clock.now()));
  return heard();
}

/** A gateway that delivers nothing again needs no wait for the meaning of answers. */
function hasEffects(heard: WebhooksHeard): boolean {
  const { firstWaitMs, effects, control } = observeRedelivery(heard);
  return firstWaitMs === undefined || ![control, ...effects.values()].includes('unknown');
}

function hasEach({ deliveries, asked }: WebhooksHeard): boolean {
  const came = new Set(deliveries.map(({ body }) => claimedEvent(body).reference));
  return [...asked].every(
    ([reference, { accepted, ending }]) =>
      accepted !== 'now' || ENDED_BY_NOBODY.has(ending) || came.has(reference),
  );
}

function hasFirstWaits(heard: WebhooksHeard): boolean {
  const { waits } = observeRedelivery(heard);
  return waits.every(({ length }) => length > 0);
}
