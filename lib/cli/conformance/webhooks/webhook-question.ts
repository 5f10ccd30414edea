import { type Conclusion } from '../conclusion.js';
import { type WebhooksHeard } from './webhooks-heard.js';

/** What a question about webhooks takes: an address that the gateway reaches, its signing secret, a person with a phone, time. */
export type WebhookNeed = 'address' | 'secret' | 'person' | 'time';

/** A question that the webhooks of a gateway answer. */
export interface WebhookQuestion {
  readonly name: string;
  /** The first cell of the row of `docs/assumptions.md` that it decides. */
  readonly point: string;
  /** What it asks, as a clause: "how webhooks are signed". */
  readonly asks: string;
  readonly needs: readonly WebhookNeed[];
  /** What the person does with the phone. */
  readonly person?: string;
  concludes(heard: WebhooksHeard): Conclusion;
}

/** A conclusion without the name of its question. */
export type Found = Omit<Conclusion, 'question'>;

export function silent(says: string): Found {
  return { verdict: 'silent', says, evidence: [] };
}
