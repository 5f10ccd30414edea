import { FACT_NAMES, FACTS, type FactName, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayProfile, type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type Conclusion } from '../conclusion.js';
import { isAbout } from './about-fact.js';

/**
 * What `gateway.json` says after a run. A fact of which two conclusions differ is not known: collections may follow one rule, and
 * payouts none that has a value.
 */
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
  for (const [name, value] of facts) if (differsWithoutValue(conclusions, name, value)) doubtful.add(name);
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

/** What the run found about facts that have no value in the profile, as one sentence; undefined: there are none. */
export function withoutValueSentence(
  conclusions: readonly Conclusion[],
  { facts }: GatewayProfile,
): string | undefined {
  const left = FACT_NAMES.filter((name) => {
    const isFound = conclusions.some(({ fact }) => fact?.name === name);
    return facts[name] === undefined && (isFound || differsWithoutValue(conclusions, name));
  });
  if (left.length === 0) return undefined;
  const clauses = left.map((name) => FACTS[name].says).join('; ');
  return `The profile has no value for ${clauses}. An emulator with this profile does there what it does without one.`;
}

/** @param known What another conclusion says, which this one may show, too. */
function differsWithoutValue(conclusions: readonly Conclusion[], name: FactName, known?: FactValue): boolean {
  return conclusions.some((conclusion) => {
    const { verdict, fact, fits } = conclusion;
    const isFitting = fits?.name === name && fits.value === known;
    return verdict === 'differs' && fact === undefined && isAbout(conclusion, name) && !isFitting;
  });
}
