import { FACT_NAMES, FACTS, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayProfile } from '../../../gateway-profile/gateway-profile.js';
import { type Conclusion } from '../conclusion.js';
import { isAbout } from './about-fact.js';

/** A fact that is another one now. */
export interface ProfileChange {
  /** What it is about, as a clause. */
  readonly says: string;
  readonly before: FactValue;
  /** The value, or what was found in place of one. */
  readonly now: FactValue;
}

export interface ProfileComparison {
  readonly changed: readonly ProfileChange[];
  /** Clauses of what was known before, and was not observed now. */
  readonly notObserved: readonly string[];
  /** How many facts were known before. */
  readonly known: number;
}

/** Compares what is known of a gateway with what was observed now. What was not known before is no change. */
export function compareProfiles(
  before: GatewayProfile,
  now: GatewayProfile,
  conclusions: readonly Conclusion[],
): ProfileComparison {
  const changed: ProfileChange[] = [];
  const notObserved: string[] = [];
  // A fact of which two conclusions differ has no value in the profile.
  const differs = conclusions.filter(({ verdict }) => verdict === 'differs');
  let known = 0;
  const compare = (
    says: string,
    old: FactValue | undefined,
    value: FactValue | undefined,
    isMeant: (conclusion: Conclusion) => boolean,
  ): void => {
    if (old === undefined) return;
    known += 1;
    const found = value ?? differs.find(isMeant)?.says;
    if (found === undefined) notObserved.push(says);
    else if (found !== old) changed.push({ says, before: old, now: found });
  };
  for (const name of FACT_NAMES) {
    const isMeant = (conclusion: Conclusion): boolean => isAbout(conclusion, name);
    compare(FACTS[name].says, before.facts[name], now.facts[name], isMeant);
  }
  compare('how webhooks are signed', signatureText(before), signatureText(now), isAboutSignature);
  return { changed, notObserved, known };
}

function isAboutSignature({ question }: Conclusion): boolean {
  return question === 'webhook signature';
}

function signatureText({ webhooks }: GatewayProfile): string | undefined {
  return webhooks && JSON.stringify(Object.entries(webhooks).sort());
}
