import { type FactName, type FactValue } from '../../gateway-profile/facts.js';
import { randomFacts, type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { Choices } from './choices.js';

/**
 * Facts that stay as they are without a profile, because their other values refuse what a client may send by the
 * specification.
 */
const FIXED: ReadonlySet<FactName> = new Set<FactName>([
  'bearer',
  // A client may rely on a key for as long as it tries.
  'key after an hour',
  'amount as text',
  'smallest amount',
  'longest reference',
  'longest metadata',
  'long bank codes',
  'reference of the other family',
  'lookup of MOBILE_MONEY',
  'lookup of BANK',
  'lookup of PARTNERPESA',
  // A test that moves the clock relies on the schedule.
  'first redelivery',
  // An old signed time is refused.
  'repeated webhook',
]);

/** Values that break what a client may rely on: they make a second payment. */
const UNFAIR: { readonly [Name in FactName]?: FactValue } = {
  // The specification calls a reference unique.
  'repeated reference': 'accepted',
  // A processed key yields DUPLICATE_REQUEST. The other values go beyond that too, but make no payment.
  'repeated key, other body': 'accepted',
};

/** The facts of one seed: of each one a value that a correct client must accept. */
export function adversarialFacts(seed: number): ResolvedFacts {
  return randomFacts(([first, ...others], name) => {
    if (FIXED.has(name)) return first;
    const fair = others.filter((value) => value !== UNFAIR[name]);
    return new Choices(seed, `fact ${name}`).pick([first, ...fair]);
  });
}
