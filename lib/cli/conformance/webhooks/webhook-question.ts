import { type SignatureFound } from './delivery-signature.js';
import { type Found } from './found.js';
import { type WebhooksHeard } from './webhooks-heard.js';

/** A question that the webhooks of a gateway answer. */
export interface WebhookQuestion {
  readonly name: string;
  /** The first cell of the row of `docs/assumptions.md` that it decides. */
  readonly point: string;
  readonly concludes: (heard: WebhooksHeard, signature: SignatureFound) => Found;
}
