import { type GatewayFacts, type GatewayProfile } from 'nestjs-payments/sandbox';
import { FACTS } from '../../lib/gateway-profile/facts.js';
import { randomFacts } from '../../lib/gateway-profile/resolved-facts.js';
import { Random } from './random.js';

/** Every fact that a gateway can be asked about. */
export { FACTS };

/** A gateway that does anything that the table of facts knows, the same for the same seed. */
export function randomProfile(seed: number): GatewayProfile {
  const random = new Random(seed);
  return profileWith(randomFacts((values) => random.pick(values)));
}

/** A gateway of which nothing else is known. */
export function profileWith(facts: GatewayFacts): GatewayProfile {
  return { version: 1, observedAt: '2026-06-01T08:00:00Z', facts, evidence: {} };
}
