import { FACT_NAMES, FACTS, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayProfile } from '../../../gateway-profile/gateway-profile.js';

/** A fact that is another one now. */
export interface ProfileChange {
  /** What it is about, as a clause. */
  readonly says: string;
  readonly before: FactValue;
  readonly now: FactValue;
}

export interface ProfileComparison {
  readonly changed: readonly ProfileChange[];
  /** Clauses of what was known before, and was not observed now. */
  readonly notObserved: readonly string[];
}

/** Compares what is known of a gateway with what was observed now. What was not known before is no change. */
export function compareProfiles(before: GatewayProfile, now: GatewayProfile): ProfileComparison {
  const changed: ProfileChange[] = [];
  const notObserved: string[] = [];
  const compare = (says: string, old: FactValue | undefined, value: FactValue | undefined): void => {
    if (old === undefined || old === value) return;
    if (value === undefined) notObserved.push(says);
    else changed.push({ says, before: old, now: value });
  };
  for (const name of FACT_NAMES) compare(FACTS[name].says, before.facts[name], now.facts[name]);
  compare('how webhooks are signed', signatureText(before), signatureText(now));
  return { changed, notObserved };
}

function signatureText({ webhooks }: GatewayProfile): string | undefined {
  return webhooks && JSON.stringify(Object.entries(webhooks).sort());
}
