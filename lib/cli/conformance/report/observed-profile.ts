import { type FactName, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayProfile, type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type Conclusion } from '../conclusion.js';

/** What `gateway.json` says after a run. A fact of which two conclusions differ is not known. */
export function observedProfile(
  conclusions: readonly Conclusion[],
  webhooks: WebhookFacts | undefined,
  observedAt: Date,
): GatewayProfile {
  const facts = new Map<FactName, FactValue>();
  const evidence = new Map<FactName, readonly string[]>();
  const doubtful = new Set<FactName>();
  for (const { fact, evidence: ids } of conclusions) {
    if (!fact) continue;
    const { name, value } = fact;
    if (facts.has(name) && facts.get(name) !== value) doubtful.add(name);
    facts.set(name, value);
    evidence.set(name, [...(evidence.get(name) ?? []), ...ids]);
  }
  for (const name of doubtful) {
    facts.delete(name);
    evidence.delete(name);
  }
  return {
    version: 1,
    observedAt: observedAt.toISOString(),
    facts: Object.fromEntries(facts),
    evidence: Object.fromEntries(evidence),
    ...(webhooks && { webhooks }),
  };
}
