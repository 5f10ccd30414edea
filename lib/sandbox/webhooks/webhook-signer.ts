import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import {
  activeSecrets,
  type Delivery,
  type EndpointSecret,
  type Replay,
  type WebhookEndpoint,
} from '../core/delivery.js';
import { ownHeaders } from './own-headers.js';
import { type DeliveryFacts } from './webhook-sender.js';

/** A key that no receiver has. */
const FORGED = Buffer.from('a key that belongs to nobody: forged');

/** The options of one send. */
export interface Sending {
  readonly forged?: boolean;
  readonly replay?: Replay;
}

/** Makes the headers of a webhook, with its signature. */
export class WebhookSigner {
  constructor(
    private readonly clock: Pick<TimeSource, 'now'>,
    private readonly scheme: WebhookScheme,
    private readonly facts: DeliveryFacts,
  ) {}

  /** The delivery counts this send as running already. */
  headersOf(
    delivery: Delivery,
    endpoint: WebhookEndpoint,
    { forged, replay }: Sending,
  ): Readonly<Record<string, string>> {
    const { event, body, attempts } = delivery;
    const sent = attempts.findLast(({ headers }) => Object.keys(headers).length > 0);
    if (replay === 'identical' && sent) return sent.headers;
    const signed = attempts.find((attempt) => !attempt.forged && Object.keys(attempt.headers).length > 0);
    const isAsBefore = this.facts['repeated webhook'] === 'as before' && replay === undefined && !forged;
    if (isAsBefore && signed) return signed.headers;
    const { pathname, search } = endpoint.url;
    const key = forged ? FORGED : keyFor(endpoint, signedBefore(delivery), this.clock.now());
    const headers = ownHeaders(event.contentType);
    return {
      ...headers,
      // The receiver compares with its own clock, so a signature uses real time.
      ...this.scheme.sign?.({ body, key, now: Date.now(), id: event.id, headers, url: pathname + search }),
    };
  }
}

/** How many sends a secret has signed before this one. Copies that are sent together run at the same time. */
function signedBefore({ attempts, running }: Delivery): number {
  const ended = attempts.filter(
    ({ forged, replay, headers }) => !forged && replay !== 'identical' && Object.keys(headers).length > 0,
  );
  return ended.length + running - 1;
}

/** The key of a send. Two active secrets alternate, so that a receiver with either one gets every event. */
function keyFor(endpoint: WebhookEndpoint, signed: number, now: number): Uint8Array {
  const active = activeSecrets(endpoint, now);
  return (active[signed % active.length] as EndpointSecret).key;
}
