import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { secretBytes, secretTextProblem } from '../../common/webhook-secret.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { type EndpointSecret, type WebhookEndpoint } from '../core/delivery.js';
import { isLoopbackHost } from '../http/loopback.js';

/** The settings of a new endpoint. */
interface EndpointDraft {
  readonly url: string;
  readonly merchant?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  /** Undefined: the registry makes one. */
  readonly secret?: string | undefined;
}

/** A change of an endpoint. Undefined fields stay. */
interface EndpointChange {
  readonly url?: string | undefined;
  /** Null: all events. */
  readonly events?: readonly string[] | null | undefined;
  readonly enabled?: boolean | undefined;
}

/** Why nobody gets an event. */
export type UnsentReason = 'no address' | 'turned off' | 'not chosen';

/** The registry's settings. */
interface EndpointSettings {
  readonly scheme: WebhookScheme;
  /** The secret of the endpoints that `deliverTo` makes. */
  readonly secret: string;
  readonly allowRemote: boolean;
  readonly newSecret: () => string;
}

/** The endpoints that receive webhooks. */
export class EndpointRegistry {
  private readonly endpoints = new Map<string, WebhookEndpoint>();
  private made = 0;

  /** @param changed Called with the id of an endpoint that was added, changed or removed. */
  constructor(
    private readonly clock: Pick<TimeSource, 'now'>,
    readonly settings: EndpointSettings,
    private readonly changed: (id: string) => void,
  ) {}

  /** How many endpoints `add` has made. */
  get count(): number {
    return this.made;
  }

  list(): readonly WebhookEndpoint[] {
    return [...this.endpoints.values()];
  }

  get(id: string): WebhookEndpoint | undefined {
    return this.endpoints.get(id);
  }

  /** The endpoints for a merchant's event: its own, or else the shared ones. */
  receiversOf(merchant: string, event: string): readonly WebhookEndpoint[] {
    return this.endpointsOf(merchant).filter((endpoint) => endpoint.enabled && takes(endpoint, event));
  }

  /** Why a merchant's event was not sent. */
  whyUnsent(merchant: string, event: string): UnsentReason {
    const endpoints = this.endpointsOf(merchant);
    if (endpoints.length === 0) return 'no address';
    return endpoints.some((endpoint) => takes(endpoint, event)) ? 'turned off' : 'not chosen';
  }

  private endpointsOf(merchant: string): readonly WebhookEndpoint[] {
    const all = this.list();
    const own = all.filter((endpoint) => endpoint.merchant === merchant);
    return own.length > 0 ? own : all.filter((endpoint) => endpoint.merchant === undefined);
  }

  /** Adds another run's endpoints; `made` is how many it had created. */
  restore(endpoints: readonly WebhookEndpoint[], made: number): void {
    for (const endpoint of endpoints) this.endpoints.set(endpoint.id, endpoint);
    this.made = made;
  }

  clear(): void {
    this.endpoints.clear();
    this.made = 0;
  }

  /**
   * Sets the address of `deliverTo`, for one merchant or for all. Another one starts fresh, with all events and one
   * secret. The same one is turned on, and keeps the events and secrets of the endpoint, also
   * after rotations.
   */
  deliverTo(address: string | URL, merchant?: string): WebhookEndpoint {
    const id = merchant === undefined ? 'default' : `default-${merchant}`;
    const url = deliveryTarget(address, this.settings.allowRemote);
    const known = this.endpoints.get(id);
    if (known?.url.href === url.href) {
      if (!known.enabled) this.change(known, { enabled: true });
      return known;
    }
    return this.put(id, { url: url.href, merchant, secret: this.settings.secret });
  }

  /** @throws PaymentsConfigError if the address or the secret is invalid. */
  add(draft: EndpointDraft): WebhookEndpoint {
    const endpoint = this.put(`endpoint-${this.made + 1}`, draft);
    this.made += 1;
    return endpoint;
  }

  /** @throws PaymentsConfigError if the address is invalid. */
  change(endpoint: WebhookEndpoint, { url, events, enabled }: EndpointChange): void {
    if (url !== undefined) endpoint.url = deliveryTarget(url, this.settings.allowRemote);
    if (events !== undefined) endpoint.events = events ?? undefined;
    if (enabled !== undefined) endpoint.enabled = enabled;
    this.changed(endpoint.id);
  }

  /**
   * Gives an endpoint a new secret. The previous one stays active for a while, older ones do not.
   *
   * @throws PaymentsConfigError if the secret is invalid.
   */
  rotate(endpoint: WebhookEndpoint, overlapMs: number, secret?: string): void {
    const [previous] = endpoint.secrets;
    const newest = this.secretOf(secret);
    if (previous) previous.expiresAt = this.clock.now() + overlapMs;
    endpoint.secrets = previous ? [newest, previous] : [newest];
    this.changed(endpoint.id);
  }

  /** Returns false if there is no such endpoint. */
  remove(id: string): boolean {
    const found = this.endpoints.delete(id);
    if (found) this.changed(id);
    return found;
  }

  private put(id: string, { url, merchant, events, enabled = true, secret }: EndpointDraft): WebhookEndpoint {
    const settings = {
      url: deliveryTarget(url, this.settings.allowRemote),
      events,
      enabled,
      secrets: [this.secretOf(secret)],
    };
    // What waits for an endpoint holds the object itself, and would keep the old address.
    const known = this.endpoints.get(id) ?? { id, merchant, createdAt: this.clock.now() };
    const endpoint: WebhookEndpoint = Object.assign(known, settings);
    this.endpoints.set(id, endpoint);
    this.changed(id);
    return endpoint;
  }

  /** The bytes of a secret's text. @throws PaymentsConfigError if the scheme does not take the secret. */
  keyOf(text: string): Uint8Array {
    const { secretForm } = this.settings.scheme;
    const problem = secretTextProblem(text, secretForm);
    if (problem !== undefined) throw new PaymentsConfigError(`The webhook secret ${problem}.`);
    return secretBytes({ value: text }, secretForm);
  }

  private secretOf(given: string | undefined): EndpointSecret {
    const text = given ?? this.settings.newSecret();
    return { text, key: this.keyOf(text), createdAt: this.clock.now(), expiresAt: undefined };
  }
}

function takes({ events }: WebhookEndpoint, event: string): boolean {
  return events?.includes(event) ?? true;
}

/**
 * Checks the address of an endpoint.
 *
 * @throws PaymentsConfigError if it is not an http address, contains a password, or is a remote address
 * without `allowRemote`.
 */
export function deliveryTarget(address: string | URL, allowRemote: boolean): URL {
  const text = String(address);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new PaymentsConfigError(
      "The webhook address must be a whole http: address: write 'http://127.0.0.1:3000/webhooks/payments'.",
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new PaymentsConfigError(
      'The webhook address must hold no user name and no password: it is shown on the page and in the log.',
    );
  }
  if (!allowRemote && !isLoopbackHost(url.hostname)) {
    throw new PaymentsConfigError(
      'The webhook address is not on this machine: write a loopback address, or start the sandbox with allowRemote: true (--allow-remote).',
    );
  }
  return url;
}
