import { FACT_NAMES, FACTS, type FactValue } from '../../../gateway-profile/facts.js';
import { type GatewayProfile } from '../../../gateway-profile/gateway-profile.js';
import { type Conclusion, type FactRange } from '../conclusion.js';
import { isAbout } from './about-fact.js';

/** A fact that is another one now. */
interface ProfileChange {
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
  const compare = (says: string, old: FactValue | undefined, found: FactValue | undefined): void => {
    if (old === undefined) return;
    known += 1;
    if (found === undefined) notObserved.push(says);
    else if (found !== old) changed.push({ says, before: old, now: found });
  };
  for (const name of FACT_NAMES) {
    const old = before.facts[name];
    const differing = differs.find((conclusion) => isAbout(conclusion, name));
    const other =
      differing ?? conclusions.find(({ within }) => within?.name === name && isOutside(old, within));
    compare(FACTS[name].says, old, now.facts[name] ?? other?.says);
  }
  const signature = signatureText(now) ?? differs.find(isAboutSignature)?.says;
  compare('how webhooks are signed', signatureText(before), signature);
  return { changed, notObserved, known };
}

/** Whether a limit that was known cannot be the one that was looked for now. */
function isOutside(
  old: FactValue | undefined,
  { least = 0, most = Number.POSITIVE_INFINITY }: FactRange,
): boolean {
  return typeof old === 'number' && (old < least || old > most);
}

function isAboutSignature({ question }: Conclusion): boolean {
  return question === 'webhook signature';
}

function signatureText({ webhooks }: GatewayProfile): string | undefined {
  return webhooks && JSON.stringify(Object.entries(webhooks).sort());
}
