import { type SandboxWebhookEndpoint } from '../control/control-resources.js';
import { optionalTimestamp, timestamp } from '../core/collection.js';

/** A secret that an endpoint's webhooks are signed with. */
export interface EndpointSecret {
  readonly text: string;
  readonly key: Uint8Array;
  readonly createdAt: number;
  /** When it stops being used; undefined for the newest. */
  expiresAt: number | undefined;
}

/** Where webhooks go. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Undefined: every merchant that has no endpoint of its own. */
  readonly merchant: string | undefined;
  readonly createdAt: number;
  url: URL;
  /** Undefined: all of them. */
  events: readonly string[] | undefined;
  enabled: boolean;
  /** The newest first. */
  secrets: readonly EndpointSecret[];
}

/** The key of a try: while two secrets are active they take turns, so that a receiver that has either gets every event. */
export function keyFor({ secrets }: WebhookEndpoint, tries: number, now: number): Uint8Array {
  const active = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  // The newest never expires.
  return (active[tries % active.length] as EndpointSecret).key;
}

/** What the control API shows of it; the secrets whole only where they have just been made. */
export function sandboxEndpoint(
  endpoint: WebhookEndpoint,
  now: number,
  shown: 'masked' | 'newest' = 'masked',
): SandboxWebhookEndpoint {
  const { id, merchant, url, events, enabled, createdAt, secrets } = endpoint;
  const active = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return {
    id,
    merchant: merchant ?? null,
    url: url.href,
    events: events ?? null,
    enabled,
    created_at: timestamp(createdAt),
    secrets: active.map((secret, index) => ({
      secret: shown === 'newest' && index === 0 ? secret.text : `…${secret.text.slice(-4)}`,
      created_at: timestamp(secret.createdAt),
      expires_at: optionalTimestamp(secret.expiresAt),
    })),
  };
}
