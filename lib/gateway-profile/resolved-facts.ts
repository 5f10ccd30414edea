import { FACT_NAMES, FACTS, type FactName, type FactValue, type GatewayFacts } from './facts.js';

/** Every fact of a gateway. */
export type ResolvedFacts = Required<GatewayFacts>;

/** The facts of a gateway, and for each one that is not known what the emulator does without a profile. */
export function resolvedFacts(facts: GatewayFacts): ResolvedFacts {
  return { ...randomFacts(([first]) => first), ...facts };
}

/**
 * A gateway whose facts are all chosen.
 *
 * @param pick Chooses one of the values that a fact may have.
 */
export function randomFacts(
  pick: (values: readonly [FactValue, ...FactValue[]], name: FactName) => FactValue,
): ResolvedFacts {
  return Object.fromEntries(
    FACT_NAMES.map((name) => [name, pick(FACTS[name].values, name)]),
  ) as ResolvedFacts;
}
