import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { secretBytes } from '../../common/webhook-secret.js';
import { type WebhookFacts } from '../../gateway-profile/gateway-profile.js';
import { hmac } from './hmac-scheme.js';
import { standardWebhooks } from './standard-webhooks.js';
import { stripeStyle } from './stripe-style.js';

/** How far a signed time may be from now, if a profile describes the scheme: it does not hold that. */
export const LEARNT_TOLERANCE_SECONDS = 300;

/**
 * The scheme that a profile describes.
 *
 * @throws PaymentsConfigError if the scheme refuses what the profile says.
 */
export function learntScheme(facts: WebhookFacts): WebhookScheme {
  const toleranceSeconds = LEARNT_TOLERANCE_SECONDS;
  switch (facts.scheme) {
    case 'hmac': {
      const { scheme: _, secretEncoding: __, timestamp, ...options } = facts;
      return hmac({ ...options, ...(timestamp && { timestamp: { ...timestamp, toleranceSeconds } }) });
    }
    case 'standardWebhooks': {
      const { prefix } = facts;
      return standardWebhooks({ ...(prefix !== undefined && { prefix }), toleranceSeconds });
    }
    case 'stripeStyle': {
      const { scheme: _, secretEncoding: __, ...options } = facts;
      return stripeStyle({ ...options, toleranceSeconds });
    }
  }
}

/** The key of a secret, as the scheme that a profile describes reads it. */
export function learntKey(facts: WebhookFacts, secret: string): Uint8Array {
  return secretBytes({ value: secret, encoding: facts.secretEncoding }, learntScheme(facts).secretForm);
}
