import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { secretBytes } from '../../common/webhook-secret.js';
import { type WebhookFacts } from '../../gateway-profile/gateway-profile.js';
import { hmac } from './hmac-scheme.js';
import { standardWebhooks } from './standard-webhooks.js';
import { stripeStyle } from './stripe-style.js';

/** How far a signed time may be from now, if a profile describes the scheme: it does not hold that. */
export const LEARNT_TOLERANCE_SECONDS = 300;

/** What the emulator's own secrets begin with. No secret in base64 or hex does. */
const SECRET_MARK = 'whsec_';

/**
 * The scheme that a profile describes. It reads secrets in their encoding, and those of the emulator too.
 *
 * @throws PaymentsConfigError if the scheme refuses what the profile says.
 */
export function learntScheme(facts: WebhookFacts): WebhookScheme {
  const { secretEncoding: encoding } = facts;
  const scheme = schemeOf(facts);
  if (encoding === undefined) return scheme;
  return { ...scheme, secretForm: encoding === 'utf8' ? { encoding } : { encoding, prefix: SECRET_MARK } };
}

/** The key of a secret, as the options of the package that a profile prints read it. */
export function learntKey(facts: WebhookFacts, secret: string): Uint8Array {
  return secretBytes({ value: secret, encoding: facts.secretEncoding }, schemeOf(facts).secretForm);
}

function schemeOf(facts: WebhookFacts): WebhookScheme {
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
