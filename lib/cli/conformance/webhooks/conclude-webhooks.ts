import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type Conclusion } from '../conclusion.js';
import { learnSignature } from './delivery-signature.js';
import { WEBHOOK_QUESTIONS } from './webhook-questions.js';
import { type WebhooksHeard } from './webhooks-heard.js';

/** What the webhooks of a run showed. */
export interface WebhookConclusions {
  readonly conclusions: readonly Conclusion[];
  /** How webhooks are signed; undefined: not learnt. */
  readonly webhooks: WebhookFacts | undefined;
}

export function concludeWebhooks(heard: WebhooksHeard): WebhookConclusions {
  const signature = learnSignature(heard);
  return {
    conclusions: WEBHOOK_QUESTIONS.map(({ name, concludes }) => ({
      question: name,
      ...concludes(heard, signature),
    })),
    webhooks: signature.webhooks,
  };
}
