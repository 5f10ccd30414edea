import { type PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { type Conclusion } from '../../lib/cli/conformance/conclusion.js';
import { redeliveryRule } from '../../lib/cli/conformance/webhooks/answer-rule.js';
import { concludeWebhooks } from '../../lib/cli/conformance/webhooks/conclude-webhooks.js';
import { DeliveriesListener } from '../../lib/cli/conformance/webhooks/deliveries-listener.js';
import { waitForWebhooks } from '../../lib/cli/conformance/webhooks/wait-for-webhooks.js';
import { type WaitClock } from '../../lib/cli/conformance/webhooks/wait-clock.js';
import {
  type AskedEnding,
  type AskedReference,
  type WebhooksHeard,
} from '../../lib/cli/conformance/webhooks/webhooks-heard.js';
import { callerOf, COLLECTION } from './gateway-caller.js';
import { startSandbox } from './sandbox.js';

export { strayLines } from '../../lib/cli/conformance/webhooks/stray-lines.js';
export { adversarialFacts } from '../../lib/sandbox/profile/adversarial-facts.js';
export { concludeWebhooks, type Conclusion, type WebhooksHeard };

export type PersonsEnding = Exclude<AskedEnding, 'payout' | 'other'>;

/** An emulator with a manual clock, and the listener of the conformance tool that hears its webhooks. */
export interface WebhookStage {
  readonly sandbox: PaymentsSandbox;
  readonly url: string;
  readonly clock: WaitClock;
  readonly listener: DeliveriesListener;
  /** Makes a payment that ends so; its first webhook was answered. */
  end(ending: PersonsEnding): Promise<void>;
  /** Notes a reference that some other request will have. */
  note(reference: string, ending: AskedEnding, accepted?: AskedReference['accepted']): void;
  /** Waits as the tool does. */
  hear(secrets?: readonly string[]): Promise<WebhooksHeard>;
  stop(): Promise<void>;
}

/** Five events, which is what it takes to ask everything about redelivery. */
export const FIVE_ENDINGS: readonly PersonsEnding[] = ['approve', 'decline', 'cancel', 'expire', 'approve'];

export async function stageWebhooks(options: PaymentsSandboxOptions = {}): Promise<WebhookStage> {
  const sandbox = await startSandbox({ clock: 'manual', ...options });
  const clock = clockOf(sandbox);
  const asked = new Map<string, AskedReference>();
  const from = clock.now();
  const rule = redeliveryRule(asked);
  const listener = await DeliveriesListener.start({
    port: 0,
    path: '/hooks',
    clock,
    asked,
    rule,
  });
  const url = `http://127.0.0.1:${listener.port}/hooks`;
  sandbox.deliverTo(url);
  const { collect } = callerOf(sandbox);
  return {
    sandbox,
    url,
    clock,
    listener,
    end: async (ending) => {
      const reference = `asked-${asked.size}`;
      asked.set(reference, { ending, accepted: 'now' });
      await collect({ reference });
      await sandbox.customer(COLLECTION.phone)[ending](reference);
    },
    note: (reference, ending, accepted = 'now') => void asked.set(reference, { ending, accepted }),
    hear: (secrets = [sandbox.webhookSecret]) =>
      waitForWebhooks({ listener, clock, asked, secrets, from, eventsMs: 60_000, redeliveryMs: 900_000 }),
    stop: async () => {
      await listener.stop();
      await sandbox.stop();
    },
  };
}

/** What the webhooks say to one question. */
export function answerTo(question: string, heard: WebhooksHeard): Conclusion {
  const { conclusions } = concludeWebhooks(heard);
  return conclusions.find((conclusion) => conclusion.question === question) as Conclusion;
}

/** Waits by turning the clock of the emulator. */
function clockOf({ clock }: PaymentsSandbox): WaitClock {
  return {
    now: () => clock.now(),
    until: async (isSo, timeoutMs) => {
      const end = clock.now() + timeoutMs;
      while (!isSo()) {
        if (clock.now() >= end) return false;
        await clock.advance(1_000);
      }
      return true;
    },
  };
}
