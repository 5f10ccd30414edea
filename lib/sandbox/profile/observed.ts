import { type GatewayProfile, type WebhookFacts } from '../../gateway-profile/gateway-profile.js';
import { resolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type HmacOptions } from '../../webhooks/signature/hmac-options.js';
import { documentedProfile, type Profile } from './profile.js';

const TOLERANCE_SECONDS = 300;

/** Answers as the gateway that was observed, and as the specification's examples where nothing is known. */
export function observedProfile({ facts }: GatewayProfile): Profile {
  return { ...documentedProfile, name: 'observed', facts: resolvedFacts(facts) };
}

/** The options of `hmac()` for the signature that was observed. */
export function observedSignature({ payload, timestamp, ...signature }: WebhookFacts): HmacOptions {
  return payload === 'body' || timestamp === undefined
    ? { ...signature, payload: ['body'] }
    : {
        ...signature,
        payload: ['timestamp', { literal: '.' }, 'body'],
        timestamp: { ...timestamp, toleranceSeconds: TOLERANCE_SECONDS },
      };
}
