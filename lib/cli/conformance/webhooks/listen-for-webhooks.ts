import { type Terminal } from '../../terminal.js';
import { type ListenArguments } from '../conformance-arguments.js';
import { type Conversation } from '../run/conversation.js';
import { type RunPlan } from '../run/plan.js';
import { type QuestionResult } from '../run/run-questions.js';
import { redeliveryRule } from './answer-rule.js';
import { askedReferences, noteAnswers } from './asked-references.js';
import { concludeWebhooks, type WebhookConclusions } from './conclude-webhooks.js';
import { DeliveriesListener } from './deliveries-listener.js';
import { strayLines } from './stray-lines.js';
import { waitForWebhooks } from './wait-for-webhooks.js';
import { machineClock } from './wait-clock.js';

/** Webhooks of a run, while it asks. */
export interface WebhookListener {
  /** Takes note of what came of a question's requests. */
  note(result: QuestionResult): void;
  /** Waits for what has not come yet, until the signal at most, and says what the webhooks showed. */
  conclude(secrets: readonly string[], signal: AbortSignal): Promise<WebhookConclusions>;
  stop(): Promise<void>;
}

/** Listens for the webhooks of everything that a run makes. It has to begin before the first request. */
export async function listenForWebhooks(
  { port, publicUrl, waitMs }: ListenArguments,
  plan: RunPlan,
  conversation: Conversation,
  { say }: Pick<Terminal, 'say'>,
): Promise<WebhookListener> {
  const asked = askedReferences(plan, conversation);
  const from = machineClock.now();
  const listener = await DeliveriesListener.start({
    port,
    path: publicUrl.pathname,
    clock: machineClock,
    asked,
    rule: redeliveryRule(asked),
  });
  // A query may hold a token.
  const address = publicUrl.origin + publicUrl.pathname;
  say(`Webhooks are heard on port ${listener.port}: the gateway has to send them to ${address}`);
  return {
    note: ({ question: name, answers }) => {
      const planned = plan.questions.find(({ question }) => question.name === name);
      if (planned) noteAnswers(asked, conversation.referencesOf(planned), answers);
    },
    conclude: async (secrets, signal) => {
      say(
        `Waiting for webhooks and for redeliveries, at most ${Math.ceil(waitMs / 30_000)} min together. Ctrl-C ends the wait.`,
      );
      const heard = await waitForWebhooks({
        listener,
        clock: {
          now: () => machineClock.now(),
          until: (isSo, ms) => machineClock.until(() => signal.aborted || isSo(), ms),
        },
        asked,
        secrets,
        from,
        eventsMs: waitMs,
        redeliveryMs: waitMs,
      });
      strayLines(listener.strays).forEach(say);
      return concludeWebhooks(heard);
    },
    stop: () => listener.stop(),
  };
}
