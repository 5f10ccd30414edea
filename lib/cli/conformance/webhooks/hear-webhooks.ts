import { type Terminal } from '../../terminal.js';
import { type ListenOrder } from '../conformance-order.js';
import { type Conversation } from '../run/conversation.js';
import { type RunPlan } from '../run/plan.js';
import { redeliveryRule } from './answer-rule.js';
import { askedReferences } from './asked-references.js';
import { concludeWebhooks, type WebhookConclusions } from './conclude-webhooks.js';
import { DeliveriesListener } from './deliveries-listener.js';
import { waitForWebhooks } from './wait-for-webhooks.js';
import { machineClock } from './wait-clock.js';

/** Webhooks of a run, while it asks. */
export interface WebhookHearing {
  /** Waits for what has not come yet, until the signal at most, and says what the webhooks showed. */
  conclude(secrets: readonly string[], signal: AbortSignal): Promise<WebhookConclusions>;
  stop(): Promise<void>;
}

/** Listens for the webhooks of everything that a run makes. It has to begin before the first request. */
export async function hearWebhooks(
  { port, publicUrl, waitMs }: ListenOrder,
  plan: RunPlan,
  conversation: Conversation,
  { say }: Pick<Terminal, 'say'>,
): Promise<WebhookHearing> {
  const asked = askedReferences(plan, conversation);
  const clock = machineClock;
  const from = clock.now();
  const rule = redeliveryRule(asked);
  const listener = await DeliveriesListener.start({ port, path: publicUrl.pathname, clock, asked, rule });
  say(`Webhooks are heard on port ${listener.port}: the gateway has to send them to ${publicUrl.href}`);
  return {
    conclude: async (secrets, signal) => {
      say(
        `Waiting for webhooks and for redeliveries, at most ${Math.ceil(waitMs / 30_000)} min together. Ctrl-C ends the wait.`,
      );
      const heard = await waitForWebhooks({
        listener,
        clock: { ...clock, until: (isSo, ms) => clock.until(() => signal.aborted || isSo(), ms) },
        asked,
        secrets,
        from,
        eventsMs: waitMs,
        redeliveryMs: waitMs,
      });
      return concludeWebhooks(heard);
    },
    stop: () => listener.stop(),
  };
}
